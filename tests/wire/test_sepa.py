"""SEPA's frames, against what its clients were seen to send and to want."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.wire.sepa import (
    Notification,
    Refusal,
    Results,
    Subscribe,
    Unsubscribe,
    Unsubscribed,
    identity_in,
    read_answer,
    read_request,
    refusal_answer,
    registration_answer,
    token_answer,
    update_answer,
    write_answer,
    write_request,
)


class TestRequests:
    def test_only_the_query_is_required(self) -> None:
        assert read_request('{"subscribe": {"sparql": "ASK {}"}}') == Subscribe("ASK {}")

    def test_all_members(self) -> None:
        frame = {
            "subscribe": {
                "sparql": "ASK {}",
                "alias": "al",
                "authorization": "Bearer t",
                "default-graph-uri": ["urn:g"],
                "named-graph-uri": ["urn:h", "urn:i"],
            }
        }
        assert read_request(json.dumps(frame)) == Subscribe("ASK {}", "al", "t", ("urn:g",), ("urn:h", "urn:i"))

    def test_the_javascript_client_sends_its_settings_along(self) -> None:
        agent = {"httpsAgent": {"_events": {}, "defaultPort": 443, "sockets": {}}, "headers": {"a": "b"}}
        frame = json.dumps({"subscribe": {"sparql": "ASK {}", "alias": "al", **agent}})
        assert read_request(frame) == Subscribe("ASK {}", "al")

    def test_the_java_client_sends_a_timeout_and_nulls(self) -> None:
        frame = '{"subscribe": {"sparql": "ASK {}", "timeout": 5000, "alias": null, "named-graph-uri": null}}'
        assert read_request(frame) == Subscribe("ASK {}")

    def test_the_python_client_puts_a_bare_token_beside_it_and_one_graph_as_a_string(self) -> None:
        frame = '{"subscribe": {"sparql": "ASK {}", "default-graph-uri": "urn:g"}, "authorization": "t"}'
        assert read_request(frame) == Subscribe("ASK {}", None, "t", ("urn:g",))

    def test_unsubscribe(self) -> None:
        assert read_request('{"unsubscribe": {"spuid": "s"}}') == Unsubscribe("s")
        frame = '{"unsubscribe": {"spuid": "s", "alias": "al", "authorization": "bearer t", "x": 1}}'
        assert read_request(frame) == Unsubscribe("s", "al", "t")

    @pytest.mark.parametrize(
        ("frame", "alias"),
        [
            ("", None),
            ("no JSON", None),
            ("[]", None),
            ("null", None),
            ("{}", None),
            (b"\xff", None),
            ('{"query": {"sparql": "ASK {}", "alias": "al"}}', None),
            ('{"subscribe": {"alias": "al"}}', "al"),
            ('{"subscribe": {"alias": "al", "sparql": 7}}', "al"),
            ('{"subscribe": {"alias": 7, "sparql": "ASK {}"}}', None),
            ('{"subscribe": "ASK {}"}', None),
            ('{"unsubscribe": {"alias": "al"}}', "al"),
            ("[" * 100_000, None),
            ('{"subscribe": {"sparql": "ASK {}", "more": ' + "[" * 100_000, None),
            ('{"subscribe": {"alias": "\\ud800", "sparql": 1}}', None),
        ],
    )
    def test_anything_else_is_answered_with_the_alias_where_there_is_one(
        self, frame: str | bytes, alias: str | None
    ) -> None:
        answer = read_request(frame)
        assert isinstance(answer, Refusal)
        assert (answer.status_code, answer.alias) == (400, alias)
        assert answer.error_description.startswith("wanted ")


class TestAnswers:
    def test_a_notification_has_an_object_for_both_results(self) -> None:
        x = {"s": {"type": "uri", "value": "urn:x"}}
        frame = write_answer(Notification("sepa://subscription/1", 0, Results(("s",), (x,)), Results(("s",)), "al"))
        assert json.loads(frame) == {
            "notification": {
                "spuid": "sepa://subscription/1",
                "alias": "al",
                "sequence": 0,
                "addedResults": {"head": {"vars": ["s"]}, "results": {"bindings": [x]}},
                "removedResults": {"head": {"vars": ["s"]}, "results": {"bindings": []}},
            }
        }

    def test_without_an_alias_there_is_no_member(self) -> None:
        assert "alias" not in write_answer(Notification("s", 1, Results(), Results()))
        assert json.loads(write_answer(Unsubscribed("s"))) == {"unsubscribed": {"spuid": "s"}}

    def test_an_error_is_flat(self) -> None:
        frame = write_answer(Refusal("sid_not_found", 500, "none", "al"))
        assert json.loads(frame) == {
            "error": "sid_not_found",
            "status_code": 500,
            "error_description": "none",
            "alias": "al",
        }

    @pytest.mark.parametrize("frame", ["", "no JSON", "{}", '{"notification": {"spuid": "s"}}', '{"error": 7}'])
    def test_what_is_no_answer_is_a_refusal(self, frame: str) -> None:
        assert isinstance(read_answer(frame), Refusal)

    def test_a_client_reads_an_answer_with_more_or_less_in_it(self) -> None:
        frame = '{"notification": {"spuid": "s", "sequence": 3, "addedResults": {}, "more": 1}}'
        assert read_answer(frame) == Notification("s", 3, Results(), Results())


NAMES = st.text(max_size=5)
OPTIONAL = st.none() | NAMES
BINDINGS = st.dictionaries(NAMES, st.fixed_dictionaries({"type": st.just("literal"), "value": NAMES}), max_size=2)
RESULTS = st.builds(Results, st.lists(NAMES).map(tuple), st.lists(BINDINGS, max_size=3).map(tuple))


@given(
    st.one_of(
        st.builds(Notification, NAMES, st.integers(0, 2**31), RESULTS, RESULTS, OPTIONAL),
        st.builds(Unsubscribed, NAMES, OPTIONAL),
        st.builds(Refusal, NAMES, st.integers(400, 599), NAMES, OPTIONAL),
    )
)
def test_an_answer_is_read_as_it_was_written(answer: Notification | Unsubscribed | Refusal) -> None:
    assert read_answer(write_answer(answer)) == answer


TOKENS = st.none() | st.text(st.sampled_from("abc.-_"), min_size=1)
GRAPHS = st.lists(NAMES, max_size=2).map(tuple)


@given(st.builds(Subscribe, NAMES, OPTIONAL, TOKENS, GRAPHS, GRAPHS) | st.builds(Unsubscribe, NAMES, OPTIONAL, TOKENS))
def test_a_request_is_read_as_it_was_written(request: Subscribe | Unsubscribe) -> None:
    assert read_request(write_request(request)) == request


class TestHttp:
    def test_an_update_is_answered_with_its_quads(self) -> None:
        quad = {part: {"type": "uri", "value": f"urn:{part}"} for part in ("graph", "subject", "predicate", "object")}
        assert json.loads(update_answer([quad], [])) == {
            "response": {"body": "", "isJson": False},
            "quads": {"added": [quad], "removed": []},
        }

    def test_an_error(self) -> None:
        body = json.loads(refusal_answer(Refusal("bad_request", 400, "why")))
        assert body == {"error": "bad_request", "status_code": 400, "error_description": "why"}

    def test_credentials(self) -> None:
        assert json.loads(registration_answer("id", "secret"))["credentials"]["client_secret"] == "secret"

    def test_a_token_is_there_for_clients_of_both_ages(self) -> None:
        body = json.loads(token_answer("t", 60))
        assert body["access_token"] == body["token"]["access_token"] == "t"
        assert body["token_type"] == body["token"]["token_type"] == "bearer"

    def test_who_registers_is_read_also_if_it_was_encoded_twice(self) -> None:
        body = json.dumps({"register": {"client_identity": "me", "grant_types": ["client_credentials"]}})
        assert identity_in(body.encode()) == identity_in(json.dumps(body).encode()) == "me"
        for wrong in (b"", b"{}", b"7", b'{"register": []}', b'{"register": {"client_identity": 7}}', b'"x"'):
            assert identity_in(wrong) is None
