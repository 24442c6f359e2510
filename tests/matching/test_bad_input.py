"""Rows A1, A6, A9 and A11: bad events and expensive subscriptions, and what the others notice of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.matching.segments.living import early, found, naive

from triplewire.algebra.subscriptions import Subscription
from triplewire.matching import Matcher
from triplewire.rdf.events import Event
from triplewire.testing import workloads

XSD = "http://www.w3.org/2001/XMLSchema#"


def filled(texts: dict[str, str], owner: str | None = None, into: Matcher | None = None) -> Matcher:
    matcher = Matcher() if into is None else into
    for name, text in texts.items():
        matcher.add(Subscription.parse(text, id=name, owner=owner))
    return matcher


class TestA1MalformedEvents:
    """Reported with the line; the other events are matched. Ill-typed literals never satisfy a numeric comparison."""

    bad = (
        b'<urn:s> <urn:p> "ill\xff" <urn:e1> .',
        b"<urn:s> <urn:p> <relative> <urn:e1> .",
        b'<urn:s> <urn:p> "\\uD800" <urn:e1> .',
        b'<urn:s> "p" <urn:o> <urn:e1> .',
        b'<urn:s> <urn:p> "open <urn:e1> .',
        b"<urn:s> <urn:p> <urn:o> <urn:e1>",
        b"<urn:s> <urn:p> <urn:o> .",
        b"garbage",
    )

    @pytest.mark.parametrize("line", bad)
    def test_the_line_is_named_and_the_others_are_matched(self, line: bytes) -> None:
        matcher = filled({"all": "SELECT ?s { ?s <urn:p> ?o }"})
        good = b"<urn:s> <urn:p> <urn:o> <urn:e%d> .\n"
        batch = matcher.match_nquads(good % 0 + b"\n# a comment\n" + line + b"\n" + good % 2)
        assert [error.line for error in batch.errors] == [4]
        assert [match.event.graph.value for match in batch] == ["urn:e0", "urn:e2"]

    def test_one_bad_line_rejects_its_whole_event(self) -> None:
        matcher = filled({"all": "SELECT ?s { ?s <urn:p> ?o }"})
        lines = b"<urn:s> <urn:p> <urn:a> <urn:e> .\n<urn:s> <urn:p> <b> <urn:e> .\n<urn:s> <urn:p> <urn:c> <urn:e> .\n"
        batch = matcher.match_nquads(lines)
        assert len(batch) == 0
        assert [(error.line, error.event) for error in batch.errors] == [(2, 0)]

    def test_ill_typed_literals_match_by_term_and_satisfy_no_number(self) -> None:
        matcher = filled(
            {
                "term": f'ASK {{ ?s <urn:p> "abc"^^<{XSD}integer> }}',
                "any": "ASK { ?s <urn:p> ?o }",
                **{
                    f"is {op}": f"ASK {{ ?s <urn:p> ?o FILTER(?o {op} 5) }}" for op in ("<", "<=", ">", ">=", "=", "!=")
                },
                "not": "ASK { ?s <urn:p> ?o FILTER(!(?o < 5)) }",
                "in": "ASK { ?s <urn:p> ?o FILTER(?o IN (1, 2)) }",
            }
        )
        (ill,) = Event.parse(f'<urn:s> <urn:p> "abc"^^<{XSD}integer> <urn:e> .')
        assert list(found(matcher.match(ill))) == ["term", "any"]


class TestA6OneCharacterSubstrings:
    """The cost is bounded, because equal texts are looked for once, and it is accounted to their owner."""

    letters = "abcdefghijklmnopqrstuvwxyz"

    def flood(self) -> Matcher:
        matcher = filled({"fair": "SELECT ?s { ?s <urn:title> ?t FILTER(CONTAINS(?t, 'tripwire')) }"}, owner="fair")
        for number in range(2_600):
            letter = self.letters[number % 26]
            text = f"SELECT ?x{number % 7} {{ ?x{number % 7} ?p ?t FILTER(CONTAINS(?t, '{letter}')) }}"
            matcher.add(Subscription.parse(text, id=f"f{number}", owner="flood"))
        return matcher

    def test_equal_texts_and_programs_are_stored_once(self) -> None:
        matcher = self.flood()
        matcher._index.compact()
        (segment,) = matcher._index.segments
        assert segment.records.texts.offsets.size - 1 == 26 + 1
        assert segment.arrays.programs.stopped.size == 26 + 1

    def test_the_cost_is_their_owners(self) -> None:
        matcher = self.flood()
        (on,) = Event.parse('<urn:s> <urn:title> "a tripwire" <urn:e> .')
        answers = [match.subscription_id for match in matcher.match(on)]
        assert answers[0] == "fair"
        assert len(answers) == 1 + 100 * len(set("atripwe"))
        assert matcher.stats.candidates == 1 + len(set("atripwe"))
        assert dict(matcher.costs()) == {"fair": 1, "flood": len(set("atripwe"))}

    def test_the_account_survives_merging_and_removing(self) -> None:
        matcher = filled({"a": "ASK { ?s <urn:p> ?o }"}, owner="ann", into=early())
        filled({"b": "SELECT ?s { ?s <urn:p> ?o }"}, owner="bob", into=matcher)
        filled({"c": "ASK { ?s <urn:q> ?o }"}, into=matcher)
        (on,) = Event.parse("<urn:s> <urn:p> <urn:o> <urn:e> .")
        matcher.match(on)
        assert dict(matcher.costs()) == {"ann": 1, "bob": 1}
        matcher._index.compact()
        matcher.match(on)
        matcher.remove("a")
        matcher.match(on)
        matcher._index.compact()
        assert dict(matcher.costs())["bob"] == 3
        assert dict(matcher.costs())["ann"] >= 2
        assert None not in matcher.costs()


class TestA9MatchAllFlood:
    """Legal, counted for each owner; the others' answers stay right."""

    def test_the_others_answers_stay_right_and_the_flood_is_counted(self) -> None:
        workload = workloads.mixed(60, 5, seed=11, matches_per_event=5)
        held = {s.id: s for s in workload.subscriptions()}
        matcher = Matcher()
        for number, subscription in enumerate(held.values()):
            matcher.add(subscription)
            for place in range(5):
                text = f"SELECT ?s{place} {{ ?s{place} ?p ?o }}"
                matcher.add(Subscription.parse(text, id=f"flood{number}-{place}", owner="flood"))
        matcher.add(Subscription.parse("ASK { ?a ?b ?c }", id="mine", owner="ann"))
        for event in workload.events():
            answers = found(matcher.match(event))
            others = {name: answer for name, answer in answers.items() if name in held}
            assert others == naive(held.values(), event)
            assert len(answers) - len(others) == 301
        assert matcher.unindexed == 301
        assert dict(matcher.unindexed_by_owner()) == {"flood": 300, "ann": 1}

    def test_what_is_removed_counts_no_more(self) -> None:
        matcher = filled({"a": "ASK { ?s ?p ?o }", "b": "SELECT ?s { ?s ?p ?o }"}, owner="flood")
        matcher.remove("a")
        assert dict(matcher.unindexed_by_owner()) == {"flood": 1}


CROSS = "SELECT ?a {{ {} }}".format(" . ".join(f"?a{n} ?b{n} ?c{n}" for n in range(9)).replace("?a0", "?a"))
SMALL, LARGE = (
    Event.parse("".join(f"<urn:s{n}> <urn:p> <urn:o> <urn:{name}> .\n" for n in range(count)))[0]
    for name, count in (("small", 2), ("large", 40))
)


def sparing() -> Matcher:
    """Its budget is used up in no time; the usual one takes seconds."""
    return Matcher(budget=20_000)


class TestA11CrossProducts:
    """A work budget per evaluation; then quarantined with the reason, and not run again. The others flow."""

    @pytest.mark.parametrize("made", [sparing, pytest.param(Matcher, marks=pytest.mark.slow)])
    def test_quarantined_with_the_reason_and_not_run_again(self, made: Callable[[], Matcher]) -> None:
        matcher = filled({"cross": CROSS}, owner="mallory", into=made())
        filled({"fair": "SELECT ?s { ?s <urn:p> ?o }"}, owner="ann", into=matcher)
        assert list(found(matcher.match(SMALL))) == ["cross", "fair"]
        assert list(found(matcher.match(LARGE))) == ["fair"]
        assert "intermediate bindings" in matcher.quarantined["cross"]
        assert "<urn:large>" in matcher.quarantined["cross"]
        before = matcher.costs()["mallory"]
        for _ in range(3):
            assert list(found(matcher.match(SMALL))) == ["fair"]
        assert matcher.costs()["mallory"] == before
        assert "cross" in matcher
        assert len(matcher) == 2

    def test_also_after_a_merge(self) -> None:
        matcher = filled({"cross": CROSS}, into=sparing())
        matcher.match(LARGE)
        filled({"fair": "SELECT ?s { ?s <urn:p> ?o }"}, into=matcher)
        matcher._index.compact()
        for _ in range(2):
            assert list(found(matcher.match(SMALL))) == ["fair"]

    def test_in_a_batch_only_once(self) -> None:
        matcher = filled({"cross": CROSS, "fair": "SELECT ?s { ?s <urn:p> ?o }"}, into=sparing())
        again = Event.from_triples(SMALL.graph, LARGE.triples)
        batch = matcher.match_nquads(LARGE.nquads + again.nquads)
        assert batch.subscription_ids == ["fair", "fair"]
        assert list(matcher.quarantined) == ["cross"]

    def test_who_subscribes_to_the_same_later_is_served(self) -> None:
        """Sharing a core with someone in quarantine is no reason to be left out."""
        matcher = filled({"first": CROSS}, into=sparing())
        matcher.match(LARGE)
        filled({"second": CROSS}, into=matcher)
        assert list(found(matcher.match(SMALL))) == ["second"]
        matcher._index.compact()
        for _ in range(2):
            assert list(found(matcher.match(SMALL))) == ["second"]
        matcher.match(LARGE)
        assert set(matcher.quarantined) == {"first", "second"}
        matcher.remove("first")
        filled({"first": CROSS}, into=matcher)
        assert list(found(matcher.match(SMALL))) == ["first"]

    def test_a_join_with_few_bindings_is_answered_however_large_the_event(self) -> None:
        """The kernel's nested loops would take millions of steps; an indexed join makes as many bindings as rows."""
        count = 1_200
        lines = "".join(
            f"<urn:s{n}> <urn:p> <urn:o{n}> <urn:e> .\n<urn:o{n}> <urn:p> <urn:t{n}> <urn:e> .\n" for n in range(count)
        )
        (on,) = Event.parse(lines)
        matcher = filled({"chain": "SELECT ?a ?c { ?a <urn:p> ?b . ?b <urn:p> ?c }"})
        [match] = matcher.match(on)
        assert len(match.solutions) == count
        assert not matcher.quarantined
