"""What rules that listen have to be sent: every event that may trigger them, whoever matches it elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rules.execution.cases import rules
from tests.rules.family import EX, FAMILY, triples

from triplewire import Event, Matcher, Subscription
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import ArcEvent, Change, ResourceEvent, Rule
from triplewire.rdf.terms import RDF, XSD, Literal, NamedNode, Triple
from triplewire.rules.event_triggers import EventTriggers, interests_of
from triplewire.rules.name_resolution import resolved
from triplewire.rules.schema import Schema

PREAMBLE = "USING NAMESPACE ex http://example.org/\n"


def listens(rule: Rule) -> bool:
    return isinstance(rule.event, ResourceEvent | ArcEvent) and rule.event.change is Change.INSERT


def matched_elsewhere(texts: Sequence[str], event: Event) -> bool:
    matcher = Matcher()
    for text in texts:
        matcher.add(Subscription.parse(text, "sparql", id=text))
    return bool(matcher.match(event))


@settings(max_examples=150)
@given(rules, st.lists(triples, min_size=1, max_size=5, unique=True))
def test_an_event_that_may_trigger_a_rule_matches_what_it_subscribes_to(
    drawn: tuple[Rule, ...], content: list[Triple]
) -> None:
    event = Event.from_triples(NamedNode("urn:e"), content)
    for rule in filter(listens, drawn):
        triggers = EventTriggers(FAMILY)
        triggers.put(resolved(rule, FAMILY), 0)
        if triggers.triggered(event.triples, 1):
            assert matched_elsewhere(triggers.interests[rule.id], event), (rule, triggers.interests)


def interests(text: str, schema: Schema = FAMILY) -> tuple[str, ...]:
    return interests_of(
        resolved(parse_rule(f"{PREAMBLE}ON INSERT {text} IF True DO DELETE resource(ex:x)"), schema), schema
    )


def test_classes_and_properties_below_are_named() -> None:
    [text] = interests("resource() AS INSTANCE OF Worker")
    assert text == f"ASK {{ ?source {RDF['type']} ?target FILTER(?target IN ({EX['Nurse']}, {EX['Worker']})) }}"
    assert interests("resource(ex:a) AS INSTANCE OF Thing") == (f"ASK {{ {EX['a']} {RDF['type']} {EX['Thing']} }}",)
    names = [EX[name] for name in ("knows", "likes", "loves")]
    assert interests("(_, ex:knows, _)") == tuple(f"ASK {{ ?source {name} ?target }}" for name in names)
    assert interests("(_, _, resource(ex:a))") == (f"ASK {{ ?source ?name {EX['a']} }}",)


def test_arcs_on_a_path_that_is_to_lead_somewhere_are_named_as_well() -> None:
    event = "resource()[target(ex:name)]/target(ex:likes) AS INSTANCE OF Thing"
    names = (EX["likes"], EX["loves"], EX["name"], RDF["type"])
    arcs = tuple(f"ASK {{ ?source {name} ?target }}" for name in names)
    assert interests(event) == (f"ASK {{ ?source {RDF['type']} {EX['Thing']} }}", *arcs)
    rule = parse_rule(f"{PREAMBLE}ON INSERT {event} IF True DO DELETE resource(ex:x)", id="r")
    triggers = EventTriggers(FAMILY)
    triggers.put(resolved(rule, FAMILY), 0)
    assert triggers.triggered([Triple(EX["ann"], EX["loves"], EX["bob"])], 1) == ["r"]
    assert triggers.triggered([Triple(EX["ann"], EX["owes"], EX["bob"])], 1) == []
    triggers.remove("r")
    assert triggers.triggered([Triple(EX["ann"], EX["loves"], EX["bob"])], 1) == []


def test_a_literal_that_has_other_spellings_stands_for_any() -> None:
    assert interests("(_, ex:name, 'x')") == (f'ASK {{ ?source {EX["name"]} "x" }}',)
    assert interests("(_, ex:age, 7)") == (f"ASK {{ ?source {EX['age']} ?target }}",)
    event = Event.from_triples(NamedNode("urn:e"), [Triple(EX["a"], EX["age"], Literal("07", datatype=XSD["int"]))])
    assert matched_elsewhere(interests("(_, ex:age, 7)"), event)


def test_an_event_with_another_spelling_of_the_value_triggers_a_rule() -> None:
    rule = parse_rule(f"{PREAMBLE}ON INSERT (_, ex:age, 7) IF True DO INSERT ($delta, ex:name, 'seven')", id="r")
    triggers = EventTriggers(FAMILY)
    triggers.put(resolved(rule, FAMILY), 0)
    for text, expected in (("7", ["r"]), ("07", ["r"]), ("+7", ["r"]), ("8", [])):
        found = triggers.triggered([Triple(EX["a"], EX["age"], Literal(text, datatype=XSD["integer"]))], 1)
        assert found == expected, text


def test_more_classes_than_a_query_should_name_stand_for_any() -> None:
    many = "".join(f"ex:c{n} rdfs:subClassOf ex:C . ex:p{n} rdfs:subPropertyOf ex:p ." for n in range(501))
    prefixes = "@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix ex: <http://example.org/> ."
    schema = Schema.parse(prefixes + many)
    assert interests("resource() AS INSTANCE OF ex:C", schema) == (f"ASK {{ ?source {RDF['type']} ?target }}",)
    assert interests("(_, ex:p, _)", schema) == ("ASK { ?source ?name ?target }",)


def test_a_rule_that_listens_no_longer_wants_nothing() -> None:
    triggers = EventTriggers(FAMILY)
    rule = resolved(parse_rule(f"{PREAMBLE}ON INSERT (_, ex:name, _) IF True DO DELETE resource(ex:x)", id="r"), FAMILY)
    triggers.put(rule, 0)
    assert set(triggers.interests) == {"r"}
    triggers.put(rule, None)
    assert triggers.interests == {}
