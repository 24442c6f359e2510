"""Parse after print is the identity, for a rule alone and for rules behind each other in a file."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.languages.text_pairs import text_pairs

from triplewire.errors import InputError
from triplewire.languages.rdftl import format_rule, format_update, parse_rule, parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import Always, BareName, Both, Path, Resource, Rule, Source, Target, Update
from triplewire.rdf.terms import NamedNode
from triplewire.testing.strategies.rdftl import rules, updates

MANY = settings().max_examples > 100


@settings(max_examples=2000 if MANY else 200)
@given(rules())
def test_a_rule(rule: Rule) -> None:
    text = format_rule(rule)
    assert parse_rule(text, id=rule.id) == rule
    assert format_rule(parse_rule(text)) == text


@settings(max_examples=1000 if MANY else 60)
@given(st.lists(rules(), max_size=4, unique_by=lambda rule: rule.id))
def test_rules_keep_their_meaning_behind_each_other(many: list[Rule]) -> None:
    assert list(parse_rules("".join(map(format_rule, many)))) == many


@settings(max_examples=1000 if MANY else 100)
@given(st.lists(updates(), max_size=4))
def test_updates(many: list[Update]) -> None:
    assert list(parse_updates("# the schedule\n" + "\n".join(map(format_update, many)))) == many


def test_an_update_without_a_transaction_is_printed_without_one() -> None:
    (update,) = parse_updates("DELETE resource(urn:a);;")
    assert format_update(replace(update, transaction="")) == "DELETE resource(<urn:a>);;\n"


@pytest.mark.parametrize(
    "condition",
    [Both(()), Both((Always(),))],
    ids=["of nothing", "of one"],
)
def test_what_the_language_has_no_words_for_is_refused(condition: Both) -> None:
    rule = replace(parse_rule("ON DELETE resource() IF True DO DELETE resource()"), condition=condition)
    with pytest.raises(InputError, match="the RDFTL language cannot express"):
        format_rule(rule)


@pytest.mark.parametrize("name", ["_", "two words", "", "a:b"])
def test_a_bare_name_that_is_none_is_refused(name: str) -> None:
    path = Path(Resource(), (Target(BareName(name)),))
    (update,) = parse_updates("DELETE resource();;")
    with pytest.raises(InputError, match="the RDFTL language cannot express"):
        format_update(replace(update, action=replace(update.action, path=path)))


def test_names_are_shortened_by_the_longest_namespace() -> None:
    text = """
        USING NAMESPACE a http://example.org/
        USING NAMESPACE b http://example.org/deep/
        ON DELETE resource()/source(<http://example.org/deep/er>)/source(<http://example.org/x/y>) IF True DO
        DELETE $delta
    """
    assert "ON DELETE resource()/source(b:er)/source(<http://example.org/x/y>)\n" in format_rule(parse_rule(text))
    assert parse_rule(text).event.path.steps[0] == Source(NamedNode("http://example.org/deep/er"))


@pytest.mark.parametrize(("text", "printed"), text_pairs("rdftl/printed.txt"))
def test_how_a_rule_is_printed(text: str, printed: str) -> None:
    assert format_rule(parse_rule(text)) == printed + "\n"
