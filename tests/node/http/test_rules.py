"""`/rules`, `/updates`, `/schema`: what they answer, what they refuse, and who may use them."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import quote

import httpx
from tests.node.http.serving import NQUADS, QUERY, TURTLE, Api, api_of, is_problem
from tests.rules.family import FAMILY

RDFTL = {"Content-Type": "text/x-triplewire-rdftl"}
USING = "USING NAMESPACE ex http://example.org/\n"
EX = "http://example.org/"
SCHEMA = "".join(f"{triple} .\n" for triple in FAMILY.triples)
ANN = USING + "INSERT resource(ex:ann) AS INSTANCE OF Person;;"
QUEUE = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT (resource(ex:log), seq++, $delta)"
GREET = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:name, 'Somebody')"


async def put_rule(api: Api, name: str, text: str, **options) -> httpx.Response:
    headers = RDFTL | options.pop("headers", {})
    return await api.put(f"/rules/{name}", content=USING + text, headers=headers, params=options)


async def update(api: Api, text: str, headers: dict[str, str] | None = None) -> httpx.Response:
    return await api.post("/updates", content=USING + text, headers=RDFTL | (headers or {}))


async def prepared(api: Api) -> None:
    answer = await api.put("/schema", content=SCHEMA, headers=TURTLE)
    assert answer.status_code == 204, answer.text
    answer = await update(api, "INSERT resource(ex:log) AS INSTANCE OF Queue;;")
    assert answer.status_code == 200, answer.text


async def test_updates_answer_with_each_transaction_each_firing_and_where_it_was_published(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        assert (await put_rule(api, "queue", QUEUE)).status_code == 201
        assert (await put_rule(api, "greet", "COUPLING DEFERRED " + GREET)).status_code == 201
        answer = await update(
            api,
            "TRANSACTION one INSERT resource(ex:ann) AS INSTANCE OF Person;;"
            "TRANSACTION two INSERT (resource(ex:nobody), ex:name, 'x');;",
        )
        assert answer.status_code == 200, answer.text
        body = answer.json()
        assert [(each["transaction"], each["status"]) for each in body["transactions"]] == [
            ("one", "committed"),
            ("two", "aborted"),
        ]
        assert "breaks clause (a)" in body["transactions"][1]["error"]
        [queue, greet] = body["firings"]
        assert (queue["rule"], queue["delta"], queue["cause"]) == ("queue", {"delta": f"<{EX}ann>"}, 1)
        assert (greet["rule"], greet["status"], greet["depth"]) == ("greet", "committed", 1)
        [told] = body["events"]
        assert (told["transaction"], told["kind"], told["position"]) == ("one", "inserted", 2)
        found = await api.get(f"/events/{quote(told['event'], safe='')}", headers={"Accept": "application/n-triples"})
        assert found.headers["Triplewire-Position"] == "2"
        assert (
            f"<{told['event']}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <urn:triplewire:Inserted>"
            in found.text
        )
        assert f'<{EX}ann> <{EX}name> "Somebody"' in found.text


async def test_anyone_can_subscribe_to_what_rules_do(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await put_rule(api, "greet", GREET)
        query = f"SELECT ?who {{ ?event a <urn:triplewire:Inserted> . ?who <{EX}name> ?name }}"
        assert (await api.put("/subscriptions/named", content=query, headers=QUERY)).status_code == 201
        answer = await update(api, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        [told] = answer.json()["events"]
        [one] = (await api.get("/subscriptions/named/notifications")).json()["notifications"]
        assert (one["event"], one["position"]) == (told["event"], told["position"])
        assert one["solutions"] == [{"who": {"type": "uri", "value": f"{EX}ann"}}]


async def test_rules_are_put_read_listed_replaced_and_removed(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        before = time.time()
        assert (await put_rule(api, "greet", GREET)).status_code == 201
        assert (await put_rule(api, "greet", GREET.replace("Some", "No"))).status_code == 200
        shown = (await api.get("/rules/greet")).json()
        assert (shown["id"], shown["owner"], shown["listens"]) == ("greet", "anonymous", "updates")
        assert before <= shown["registered"] <= time.time()
        text = await api.get("/rules/greet", headers={"Accept": RDFTL["Content-Type"]})
        assert text.text == shown["text"] == USING + GREET.replace("Some", "No")
        await put_rule(api, "queue", QUEUE)
        assert [rule["id"] for rule in (await api.get("/rules")).json()["rules"]] == ["greet", "queue"]
        assert (await api.delete("/rules/greet")).status_code == 204
        for answer in (await api.get("/rules/greet"), await api.delete("/rules/greet")):
            assert is_problem(answer, 404, "unknown-rule")
        assert is_problem(await api.get("/rules/greet/firings"), 404, "unknown-rule")
        body = (await update(api, ANN.removeprefix(USING))).json()
        assert [firing["rule"] for firing in body["firings"]] == ["queue"]


async def test_firings_come_page_by_page(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await put_rule(api, "queue", QUEUE)
        for who in ("ann", "bob", "cat"):
            await update(api, f"TRANSACTION {who} INSERT resource(ex:{who}) AS INSTANCE OF Person;;")
        page = (await api.get("/rules/queue/firings", params={"limit": 2})).json()
        assert [(one["cause"], one["delta"]) for one in page["firings"]] == [
            ("ann", {"delta": f"<{EX}ann>"}),
            ("bob", {"delta": f"<{EX}bob>"}),
        ]
        rest = (await api.get("/rules/queue/firings", params={"limit": 2, "after": page["next"]})).json()
        assert [one["cause"] for one in rest["firings"]] == ["cat"]
        assert rest["next"] is None
        assert rest["firings"][0]["status"] == "committed"


async def test_a_rule_is_told_each_pair_that_does_not_commute_and_is_not_refused(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        first = (await put_rule(api, "queue", QUEUE)).json()["analysis"]
        assert first["conflicts"] == []
        assert first["never_fires"] is None
        twice = (await put_rule(api, "again", QUEUE)).json()["analysis"]
        [pair] = twice["conflicts"]
        assert pair["rule"] == "queue"
        assert pair["reasons"]
        assert set(pair["reasons"]) <= {"C1", "C2", "C3"}
        assert all("ex" in reason for reason in pair["reasons"].values())
        loop = (
            await put_rule(api, "loop", "ON INSERT (_, ex:name, _) IF True DO INSERT ($delta, ex:name, 'x')")
        ).json()
        assert loop["analysis"]["cycle"] == ["loop", "loop"]
        ordered = (await put_rule(api, "again", "PRECEDES queue " + QUEUE)).json()["analysis"]
        assert ordered["conflicts"] == []


BAD_RULES = (
    ("ON", 400, "syntax-problem", "2:3"),
    ("RULE other " + GREET, 400, "syntax-problem", "wanted the rule 'bad'"),
    (GREET.replace("ex:name", "ex:nam"), 400, "unknown-name", f"<{EX}name>"),
    (GREET.replace("Person", "Persn"), 400, "unknown-name", f"<{EX}Person>"),
    (GREET.replace("ex:name", "eg:name"), 400, "syntax-problem", "eg"),
    ("LET $x := $delta " + GREET, 400, "syntax-problem", "delta"),
    (GREET.replace("'Somebody'", "_"), 400, "syntax-problem", "2:"),
    ("ON INSERT (_, ex:name, _) IF True DO INSERT $delta", 400, "syntax-problem", "AS INSTANCE OF"),
    ("PRECEDES greet " + GREET, 400, "precedence-cycle", "bad -> greet -> bad"),
)


async def test_a_bad_rule_is_refused_and_nothing_changes(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await put_rule(api, "greet", "PRECEDES bad " + GREET)
        before = (await api.get("/rules")).text
        for text, status, kind, words in BAD_RULES:
            answer = await put_rule(api, "bad", text)
            assert is_problem(answer, status, kind), text
            assert words in answer.json()["detail"]
            assert (await api.get("/rules")).text == before


BAD_UPDATES = (
    ("INSERT", 400, "syntax-problem", "2:7"),
    ("INSERT ($delta, ex:name, 'x');;", 400, "syntax-problem", "delta"),
    ("INSERT (resource(ex:log), ex:nam, 'x');;", 400, "unknown-name", f"<{EX}name>"),
    ("INSERT (resource(ex:ann), ex:name, 'x');;", 409, "schema-violation", "clause (a)"),
    ("INSERT (resource(ex:log), ex:loose, resource(ex:log));;", 409, "schema-violation", "clause (b)"),
    ("INSERT (resource(ex:log), ex:name, 'x');;", 409, "schema-violation", "clause (c)"),
)


async def test_a_bad_update_is_refused_and_nothing_changes(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        before = (await api.get("/events")).text
        for text, status, kind, words in BAD_UPDATES:
            answer = await update(api, text)
            assert is_problem(answer, status, kind), text
            assert words in answer.json()["detail"]
            assert (await api.get("/events")).text == before


async def test_f12_rules_without_end_are_stopped_compensated_and_shown(tmp_path: Path):
    # The depth is to end it, not the clock of a busy machine.
    async with api_of(tmp_path, rule_seconds=60) as api:
        await prepared(api)
        for one, other in (("knows", "owes"), ("owes", "knows")):
            actions = f"DELETE ($delta, ex:{other}, _); INSERT ($delta, ex:{other}, $delta)"
            await put_rule(api, one, f"ON INSERT (_, ex:{one}, _) IF True DO {actions}")
        await update(api, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        before = (await api.get("/events")).text
        answer = await update(api, "INSERT (resource(ex:ann), ex:knows, resource(ex:ann));;")
        assert is_problem(answer, 409, "depth-exceeded")
        assert answer.json()["cycle"] == ["knows", "owes", "knows"]
        assert len(answer.json()["firings"]) == 100
        assert (await api.get("/events")).text == before


async def test_bodies_of_another_kind_are_refused(tmp_path: Path):
    async with api_of(tmp_path) as api:
        assert is_problem(await api.put("/rules/a", content=GREET, headers=TURTLE), 415, "unknown-format")
        assert is_problem(await api.post("/updates", content=ANN, headers=QUERY), 415, "unknown-format")
        assert is_problem(await api.post("/updates", content=b"\xff", headers=RDFTL), 400, "input-error")
        assert is_problem(await api.post("/updates", content=b"", headers=RDFTL), 400, "input-error")
        large = await api.put("/rules/a", content=b"#" * 5_000_000, headers=RDFTL)
        assert is_problem(large, 413, "limit-exceeded")


async def test_a_schema_is_taken_only_if_everything_conforms(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await put_rule(api, "greet", GREET)
        shown = await api.get("/schema", headers={"Accept": "application/n-triples"})
        assert sorted(shown.text.splitlines()) == sorted(SCHEMA.splitlines())
        other = "<urn:C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:D> ."
        assert is_problem(await api.put("/schema", content=other, headers=TURTLE), 400, "schema-violation")
        without = "\n".join(line for line in SCHEMA.splitlines() if f"<{EX}name>" not in line)
        assert is_problem(await api.put("/schema", content=without, headers=TURTLE), 400, "unknown-name")
        assert is_problem(await api.put("/schema", content="<", headers=TURTLE), 400, "syntax-problem")
        assert (await api.get("/schema", headers={"Accept": "application/n-triples"})).text == shown.text


async def test_only_administrators_set_the_schema_and_see_everybodys_rules(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        one, other = await api.register(name="one"), await api.register(name="other")
        assert is_problem(await api.put("/schema", content=SCHEMA, headers=TURTLE | one), 403, "forbidden")
        assert (await api.get("/schema", headers=one)).status_code == 200
        assert (await put_rule(api, "greet", GREET, headers=one)).status_code == 201
        assert is_problem(await put_rule(api, "greet", QUEUE, headers=other), 409, "duplicate-rule")
        for answer in (
            await api.get("/rules/greet", headers=other),
            await api.delete("/rules/greet", headers=other),
            await api.get("/rules/greet/firings", headers=other),
        ):
            assert is_problem(answer, 404, "unknown-rule")
        assert (await api.get("/rules", headers=other)).json() == {"rules": []}
        assert [rule["id"] for rule in (await api.get("/rules")).json()["rules"]] == ["greet"]
        mine = (await api.get("/rules", headers=one)).json()["rules"]
        assert (await api.delete(f"/clients/{mine[0]['owner']}")).status_code == 204
        assert (await api.get("/rules")).json() == {"rules": []}


async def test_rules_and_updates_need_the_right_to_publish_and_to_read_everything(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        for rights in (
            {"publish": None},
            {"publish": {"graphs": ["urn:mine:"]}},
            {"subscribe": None},
            {"subscribe": {"namespaces": [EX]}},
        ):
            who = await api.register(rights=rights)
            assert is_problem(await put_rule(api, "greet", GREET, headers=who), 403, "forbidden")
            assert is_problem(await update(api, ANN.removeprefix(USING), who), 403, "forbidden")
        assert (await api.get("/rules")).json() == {"rules": []}
        nobody = {"Authorization": "Bearer wrong"}
        assert is_problem(await update(api, ANN, nobody), 401, "unauthenticated")
        assert is_problem(await put_rule(api, "greet", GREET, headers=nobody), 401, "unauthenticated")


async def test_an_update_writes_under_its_clients_grant_and_a_rule_under_its_owners(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        limited = await api.register(rights={"publish": {"namespaces": [f"{EX}Person", f"{EX}knows"]}})
        assert (await update(api, ANN.removeprefix(USING), limited)).status_code == 200
        before = (await api.get("/events")).text
        refused = await update(api, "INSERT (resource(ex:ann), ex:name, 'Ann');;", limited)
        assert is_problem(refused, 403, "forbidden")
        assert f"<{EX}name>" in refused.json()["detail"]
        assert (await api.get("/events")).text == before
        assert (await put_rule(api, "greet", GREET)).status_code == 201
        answer = await update(api, "INSERT resource(ex:bob) AS INSTANCE OF Person;;", limited)
        assert answer.status_code == 200, "the rule's owner may write names"
        assert (await put_rule(api, "mine", GREET.replace("'Somebody'", "'Me'"), headers=limited)).status_code == 201
        answer = await update(api, "INSERT resource(ex:cat) AS INSTANCE OF Person;;")
        ended = {firing["rule"]: firing["status"] for firing in answer.json()["firings"]}
        assert ended == {"greet": "committed", "mine": "aborted"}, "what it may not write, it has not written"
        mine = await update(api, "INSERT resource(ex:dan) AS INSTANCE OF Person;;", limited)
        assert is_problem(mine, 403, "forbidden")
        assert "the rule 'mine'" in mine.json()["detail"]
        assert (await api.delete("/rules/mine", headers=limited)).status_code == 204
        again = await update(api, "INSERT resource(ex:dan) AS INSTANCE OF Person;;")
        assert [firing["rule"] for firing in again.json()["firings"]] == ["greet"], "nothing of it was left in memory"


async def test_a9_updates_count_as_events_and_rules_as_subscriptions(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        quotas = {"events_per_second": 1, "subscriptions": 1}
        slow = await api.register(rights={"quotas": quotas})
        two = "INSERT resource(ex:ann) AS INSTANCE OF Person;; INSERT resource(ex:bob) AS INSTANCE OF Person;;"
        assert (await update(api, two, slow)).status_code == 200
        answer = await update(api, two, slow)
        assert is_problem(answer, 429, "quota-exceeded")
        assert int(answer.headers["Retry-After"]) >= 1
        assert (await put_rule(api, "one", GREET, headers=slow)).status_code == 201
        assert (await put_rule(api, "one", QUEUE, headers=slow)).status_code == 200
        assert is_problem(await put_rule(api, "two", GREET, headers=slow), 429, "quota-exceeded")


async def test_only_a_rule_on_insertions_listens_to_events(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        text = "ON DELETE (_, ex:name, _) IF True DO DELETE ($delta, ex:age, _)"
        assert is_problem(await put_rule(api, "a", text, listens="events"), 400, "input-error")
        assert is_problem(await put_rule(api, "a", GREET, listens="walls"), 422, "malformed-request")
        assert (await put_rule(api, "a", GREET, listens="events")).json()["listens"] == "events"
        published = await api.post("/events", content=f"<{EX}x> <{EX}y> <{EX}z> <urn:e:1> .", headers=NQUADS)
        assert published.status_code == 201


APPEND = "INSERT (resource(ex:log), seq++, resource(ex:ann));;"


def with_key(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


async def elements(api: Api) -> int:
    """How many the queue holds, told by the number of the next one."""
    [line] = (await update(api, APPEND)).json()["inserted"]
    return int(line.split("#_")[1].split(">")[0]) - 1


async def test_updates_that_are_sent_again_under_their_key_change_nothing_and_get_the_same_answer(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await update(api, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        first = await update(api, APPEND, with_key("k"))
        again = await update(api, APPEND, with_key("k"))
        assert (first.status_code, again.status_code) == (200, 200)
        assert first.json() == again.json()
        assert await elements(api) == 1
        other = await update(api, APPEND, with_key("another"))
        assert other.json()["schedule"] > first.json()["schedule"]


async def test_the_key_of_other_updates_or_of_events_is_refused(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await update(api, "INSERT resource(ex:ann) AS INSTANCE OF Person;;", with_key("k"))
        assert is_problem(await update(api, APPEND, with_key("k")), 409, "event-conflict")
        event = await api.post("/events", content="<urn:s> <urn:p> <urn:o> <urn:e> .", headers=NQUADS | with_key("k"))
        assert is_problem(event, 409, "event-conflict")


async def test_updates_that_were_aborted_are_told_so_again_and_refused_ones_may_be_tried_again(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        unknown = "INSERT (resource(ex:log), seq++, resource(ex:nobody));;"
        first = await update(api, unknown, with_key("k"))
        again = await update(api, unknown, with_key("k"))
        assert is_problem(first, 409, "schema-violation")
        assert (again.status_code, again.headers["content-type"]) == (409, first.headers["content-type"])
        assert again.json() == first.json()
        wrong = await update(api, "INSERT (resource(ex:log), ex:nothing, resource(ex:log));;", with_key("w"))
        assert is_problem(wrong, 400, "unknown-name")
        assert (await update(api, "INSERT resource(ex:bob) AS INSTANCE OF Person;;", with_key("w"))).status_code == 200


async def test_a_key_is_remembered_through_a_restart(tmp_path: Path):
    answers = []

    async with api_of(tmp_path) as api:
        await prepared(api)
        await update(api, "INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        answers.append((await update(api, APPEND, with_key("k"))).json())
    async with api_of(tmp_path) as api:
        answers.append((await update(api, APPEND, with_key("k"))).json())
    assert answers[0] == answers[1]


# Rules of others

FAILING = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, ex:owns, $delta)"
ENDLESS = "ON INSERT (resource(ex:log), _, _) IF True DO INSERT (resource(ex:log), seq++, resource(ex:log2))"
AUTHOR: dict[str, object] = {}


def insertion(name: str) -> str:
    return f"INSERT resource(ex:{name}) AS INSTANCE OF Person;;"


async def test_a_rule_of_somebody_else_that_fails_leaves_the_update_alone(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        me, you = await api.register(rights=AUTHOR), await api.register(rights=AUTHOR)
        assert (await put_rule(api, "failing", FAILING, headers=you)).status_code == 201
        body = (await update(api, insertion("ann"), me)).json()
        assert [one["status"] for one in body["transactions"]] == ["committed"]
        [firing] = body["firings"]
        assert (firing["rule"], firing["status"]) == ("failing", "aborted")
        assert is_problem(await update(api, insertion("bob"), you), 409, "schema-violation"), "one's own rule may"


async def test_a_rule_of_an_administrator_guards_what_others_do(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        me = await api.register(rights=AUTHOR)
        await put_rule(api, "guard", FAILING)
        assert is_problem(await update(api, insertion("ann"), me), 409, "schema-violation")


async def test_f11_a_rule_that_goes_beyond_its_budget_in_others_updates_is_quarantined_with_the_reason(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        await prepared(api)
        await update(api, "INSERT resource(ex:log2) AS INSTANCE OF Person;;")
        me, you = await api.register(rights=AUTHOR), await api.register(rights=AUTHOR)
        await put_rule(api, "endless", ENDLESS, headers=you)
        for number in range(3):
            assert (await api.get("/rules/endless", headers=you)).json()["quarantined"] is None
            body = (await update(api, "INSERT (resource(ex:log), seq++, resource(ex:log2));;", me)).json()
            assert [one["status"] for one in body["transactions"]] == ["committed"], number
            assert {firing["status"] for firing in body["firings"]} == {"aborted"}
        [shown] = (await api.get("/rules", headers=you)).json()["rules"]
        assert "endless -> endless" in shown["quarantined"]
        body = (await update(api, "INSERT (resource(ex:log), seq++, resource(ex:log2));;", me)).json()
        assert body["firings"] == []
        await put_rule(api, "endless", ENDLESS.replace("True", "False"), headers=you)
        assert (await api.get("/rules/endless", headers=you)).json()["quarantined"] is None
        assert (await api.delete("/rules/endless", headers=you)).status_code == 204


async def test_a_schedule_is_kept_with_its_tree_until_retention_removes_it(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await prepared(api)
        await put_rule(api, "queue", "COUPLING DETACHED " + QUEUE)
        await put_rule(api, "guard", "ON INSERT (_, ex:owns, _) IF True DO ABORT 'no property'")
        own = "INSERT resource(ex:mug) AS INSTANCE OF Thing;; INSERT (resource(ex:ann), ex:owns, resource(ex:mug));;"
        done = (
            await update(api, "TRANSACTION one INSERT resource(ex:ann) AS INSTANCE OF Person;; TRANSACTION two " + own)
        ).json()
        kept = (await api.get(f"/schedules/{done['schedule']}")).json()
        shown = [(u["number"], u["transaction"], u["rule"], u["cause"], u["abort"], u["status"]) for u in kept["units"]]
        assert shown == [
            (1, "one", None, None, None, "committed"),
            (2, "#2", "queue", 1, "INDEPENDENT", "committed"),
            (3, "two", None, None, None, "aborted"),
            (4, "two", "guard", 3, "MUTUAL", "aborted"),
        ]
        assert kept["units"][3]["error"] == "the rule guard has aborted it: no property"
        assert (await api.get("/schedules", params={"transaction": "two"})).json() == kept
        assert is_problem(await api.get("/schedules", params={"transaction": "three"}), 404, "unknown-schedule")
        assert is_problem(await api.get("/schedules/999"), 404, "unknown-schedule")
        refused = await update(api, "TRANSACTION three " + own)
        assert is_problem(refused, 409, "aborted-by-rule")
        assert (refused.json()["rule"], refused.json()["reason"]) == ("guard", "no property")
        again = (await api.get(f"/schedules/{refused.json()['schedule']}")).json()
        assert {unit["status"] for unit in again["units"]} == {"aborted"}
        await api.node.broker.living.forget(None, 0)
        assert is_problem(await api.get("/schedules", params={"transaction": "two"}), 404, "unknown-schedule")


async def test_only_those_who_may_read_everything_see_what_schedules_did(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        limited = await api.register(rights={"subscribe": {"namespaces": [EX]}})
        for path in ("/schedules/1", "/schedules?transaction=t"):
            assert is_problem(await api.get(path, headers=limited), 403, "forbidden")
