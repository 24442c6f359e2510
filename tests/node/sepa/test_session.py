"""One socket of SEPA's protocol: frames and answers in, effects out."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from triplewire.node.sepa.session import Close, Effect, Open, Send, Session, new_spuid
from triplewire.wire.sepa import Results, Subscribe

X = {"s": {"type": "uri", "value": "urn:x"}}
ONE, NONE = Results(("s",), (X,)), Results(("s",))


def session() -> Session:
    numbers = iter(range(1, 100))
    return Session(lambda: f"sepa://subscription/{next(numbers)}", most=3)


def subscribing(alias: str | None = "al", sparql: str = "SELECT ?s { ?s ?p ?o }") -> str:
    return json.dumps({"subscribe": {"sparql": sparql} | ({} if alias is None else {"alias": alias})})


def sent(effects: list[Effect]) -> list[Any]:
    assert all(isinstance(effect, Send) for effect in effects)
    return [json.loads(effect.frame) for effect in effects if isinstance(effect, Send)]


def opened(socket: Session, alias: str = "al") -> str:
    [effect] = socket.received(subscribing(alias))
    assert isinstance(effect, Open)
    return effect.spuid


def test_a_subscription_is_opened_and_nothing_said_until_it_is_answered() -> None:
    [effect] = session().received(subscribing())
    assert effect == Open("sepa://subscription/1", Subscribe("SELECT ?s { ?s ?p ?o }", "al"))


def test_the_first_notification_has_the_whole_answer_also_if_it_is_empty() -> None:
    socket = session()
    spuid = opened(socket)
    [frame] = sent(socket.answered(spuid, NONE))
    empty = {"head": {"vars": ["s"]}, "results": {"bindings": []}}
    expected = {"spuid": spuid, "alias": "al", "sequence": 0, "addedResults": empty, "removedResults": empty}
    assert frame == {"notification": expected}


def test_later_ones_are_numbered_for_each_subscription_and_say_what_came_and_went() -> None:
    socket = session()
    first, second = opened(socket, "a"), opened(socket, "b")
    socket.answered(first, NONE)
    socket.answered(second, NONE)
    frames = sent(
        [*socket.changed(first, ONE, NONE), *socket.changed(second, ONE, NONE), *socket.changed(first, NONE, ONE)]
    )
    told = [frame["notification"] for frame in frames]
    assert [(t["alias"], t["sequence"]) for t in told] == [("a", 1), ("b", 1), ("a", 2)]
    assert told[2]["addedResults"]["results"]["bindings"] == []
    assert told[2]["removedResults"] == {"head": {"vars": ["s"]}, "results": {"bindings": [X]}}


def test_nothing_is_said_and_no_number_taken_where_nothing_changed() -> None:
    socket = session()
    spuid = opened(socket)
    socket.answered(spuid, ONE)
    assert socket.changed(spuid, NONE, NONE) == []
    [frame] = sent(socket.changed(spuid, ONE, NONE))
    assert frame["notification"]["sequence"] == 1


def test_unsubscribing_closes_the_query_and_is_confirmed() -> None:
    socket = session()
    spuid = opened(socket)
    socket.answered(spuid, NONE)
    close, confirmed = socket.received(json.dumps({"unsubscribe": {"spuid": spuid}}))
    assert close == Close(spuid)
    assert sent([confirmed]) == [{"unsubscribed": {"spuid": spuid, "alias": "al"}}]
    assert socket.changed(spuid, ONE, NONE) == []
    assert socket.spuids == ()


def test_unsubscribing_what_is_not_there_is_an_error_with_the_alias() -> None:
    [frame] = sent(session().received('{"unsubscribe": {"spuid": "sepa://subscription/7", "alias": "al"}}'))
    assert (frame["error"], frame["status_code"], frame["alias"]) == ("sid_not_found", 500, "al")


def test_a_query_that_is_refused_is_an_error_with_the_alias_and_gone() -> None:
    socket = session()
    spuid = opened(socket)
    [frame] = sent(socket.refused(spuid, "bad_request", 400, "wanted '}'"))
    assert frame == {"error": "bad_request", "status_code": 400, "error_description": "wanted '}'", "alias": "al"}
    assert socket.spuids == ()
    assert socket.refused(spuid, "bad_request", 400, "again") == []


def test_a_query_that_cannot_be_kept_up_is_told_of_and_closed() -> None:
    socket = session()
    spuid = opened(socket)
    socket.answered(spuid, NONE)
    close, told = socket.failed(spuid, "quarantined", 500, "too much work")
    assert close == Close(spuid)
    assert sent([told])[0]["alias"] == "al"
    assert socket.failed(spuid, "quarantined", 500, "too much work") == []


def test_the_same_alias_twice_is_two_subscriptions() -> None:
    socket = session()
    assert opened(socket, "al") != opened(socket, "al")
    assert len(socket.spuids) == 2


def test_a9_more_than_a_socket_may_have_are_refused_with_the_alias() -> None:
    socket = session()
    for _ in range(3):
        opened(socket)
    [frame] = sent(socket.received(subscribing("one more")))
    assert (frame["error"], frame["status_code"], frame["alias"]) == ("too_many_subscriptions", 429, "one more")


def test_what_is_no_frame_is_answered_and_ends_nothing() -> None:
    socket = session()
    spuid = opened(socket)
    [frame] = sent(socket.received("{"))
    assert frame["status_code"] == 400
    assert socket.spuids == (spuid,)


def test_a_socket_that_closes_closes_its_queries() -> None:
    socket = session()
    spuids = [opened(socket) for _ in range(3)]
    assert socket.closed() == [Close(spuid) for spuid in spuids]
    assert socket.closed() == []
    assert socket.answered(spuids[0], ONE) == []


def test_names_are_new_each_time() -> None:
    assert new_spuid() != new_spuid()
    assert new_spuid().startswith("sepa://subscription/")


class AnySequence(RuleBasedStateMachine):
    """Whatever happens in whatever order: who is open, and what was told, is what a plain model says."""

    def __init__(self) -> None:
        super().__init__()
        self.session = Session(most=5)
        self.opened: dict[str, int] = {}
        self.told: Counter[str] = Counter()
        self.names: list[str] = ["sepa://subscription/none"]

    @rule()
    def subscribe(self) -> None:
        [effect] = self.session.received(subscribing())
        assert isinstance(effect, Open) == (len(self.opened) < 5)
        if isinstance(effect, Open):
            self.opened[effect.spuid] = 0
            self.names.append(effect.spuid)

    @rule(data=st.data())
    def answer(self, data: st.DataObject) -> None:
        spuid = data.draw(st.sampled_from(self.names))
        if self.opened.get(spuid, 0) == 0:
            self._check(spuid, self.session.answered(spuid, NONE))

    @rule(data=st.data(), added=st.booleans(), removed=st.booleans())
    def change(self, data: st.DataObject, added: bool, removed: bool) -> None:
        spuid = data.draw(st.sampled_from(self.names))
        if self.opened.get(spuid, 1) == 0:
            return
        effects = self.session.changed(spuid, ONE if added else NONE, ONE if removed else NONE)
        if added or removed:
            self._check(spuid, effects)
        else:
            assert effects == []

    def _check(self, spuid: str, effects: list[Effect]) -> None:
        if spuid not in self.opened:
            assert effects == []
            return
        [frame] = sent(effects)
        assert frame["notification"]["sequence"] == self.opened[spuid]
        self.opened[spuid] += 1

    @rule(data=st.data())
    def unsubscribe(self, data: st.DataObject) -> None:
        spuid = data.draw(st.sampled_from(self.names))
        effects = self.session.received(json.dumps({"unsubscribe": {"spuid": spuid}}))
        was_open = self.opened.pop(spuid, None) is not None
        assert (Close(spuid) in effects) == was_open
        assert ("sid_not_found" in str(effects)) != was_open

    @rule()
    def close(self) -> None:
        assert self.session.closed() == [Close(spuid) for spuid in self.opened]
        self.opened.clear()

    @invariant()
    def what_is_open(self) -> None:
        assert self.session.spuids == tuple(self.opened)


TestAnySequence = AnySequence.TestCase
TestAnySequence.settings = settings(max_examples=30, stateful_step_count=20, deadline=None)
