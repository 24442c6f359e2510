"""Text that means harm: a clear error, whatever it is, and soon."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyoxigraph import Store

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.languages.rdftl import condition_query, format_rule, parse_rule, parse_rules, parse_updates
from triplewire.languages.rdftl.expanded_size import MAX_DEPTH, MAX_SIZE
from triplewire.languages.rdftl.parser import MAX_FILE_BYTES
from triplewire.languages.rdftl.syntax import Rule
from triplewire.languages.scanner import MAX_TEXT_BYTES
from triplewire.testing.strategies.rdftl import rules

MANY = settings().max_examples > 100

VOCABULARY = """
    USING NAMESPACE LET RULE COUPLING ABORT PRECEDES TRANSACTION ON IF DO INSERT DELETE UPDATE AS INSTANCE OF and or not
    True False resource( target( source( element( seq++ _ $delta $delta.source $a := -> → = != ≠ ( ) [ ] / , ; ;; p dc
    dc:type http://example.org/ <urn:a> 'Logic' "x 1 # é
"""
WORDS = st.sampled_from([*VOCABULARY.split(), "\n", "\x00", "\u2028", "\ufeff"])
TEXTS = st.one_of(st.text(max_size=60), st.lists(WORDS, max_size=25).map(" ".join))


def read(text: str) -> None:
    """Every way to read a text ends well, or with one of our errors that has a place in the text."""
    for parse in (parse_rules, parse_updates, parse_rule):
        problem = problem_of(parse, text)
        assert problem is None or problem.message
        assert not isinstance(problem, SyntaxProblem) or problem.line <= text.count("\n") + 1


def problem_of(parse: Callable[[str], object], text: str) -> InputError | None:
    try:
        parse(text)
    except InputError as error:
        return error
    return None


@settings(max_examples=3000 if MANY else 300)
@given(TEXTS)
def test_any_text(text: str) -> None:
    read(text)


@settings(max_examples=3000 if MANY else 150)
@given(rules(), st.data())
def test_damaged_rules(rule: Rule, data: st.DataObject) -> None:
    text = format_rule(rule)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 9)))
        text = text[:start] + data.draw(st.one_of(WORDS, st.text(max_size=3))) + text[end:]
    read(text)


def rule(condition: str, lets: str = "") -> str:
    return f"{lets}\nON INSERT resource() IF {condition} DO DELETE $delta;;"


DEEP = {
    "parentheses": lambda n: "(" * n + "True" + ")" * n,
    "not": lambda n: "not " * n + "True",
    "qualifiers": lambda n: "resource()" + "[target(p)" * n + "]" * n,
    "qualifiers side by side": lambda n: "resource()" + "[resource()" * n + "]" * n,
    "parentheses in qualifiers": lambda n: "resource()" + "[(target(p)" * (n // 2) + ")]" * (n // 2),
}


@pytest.mark.parametrize("nested", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("depth", [MAX_DEPTH + 2, 2_000])
def test_a2_what_nests_too_deep(nested, depth: int) -> None:
    with pytest.raises(LimitExceeded, match="may nest 50 deep") as caught:
        parse_rules(rule(nested(depth)))
    assert caught.value.line == 2


@pytest.mark.parametrize("nested", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("depth", [100_000])
def test_a2_what_nests_as_deep_as_a_file_allows(nested, depth: int) -> None:
    with pytest.raises(LimitExceeded, match="may nest 50 deep"):
        parse_rules(rule(nested(depth)))


@pytest.mark.parametrize("nested", DEEP.values(), ids=DEEP)
def test_what_nests_as_deep_as_allowed_is_read_and_written(nested) -> None:
    (read,) = parse_rules(rule(nested(MAX_DEPTH)))
    assert parse_rule(format_rule(read)) == read


LONG = {
    "and": lambda n: " and ".join(["True"] * n),
    "or": lambda n: " or ".join(["True"] * n),
    "steps": lambda n: "resource()" + "/target(p)" * n,
    "qualifiers": lambda n: "resource()" + "[True]" * n,
}


@pytest.mark.parametrize("long", LONG.values(), ids=LONG)
@pytest.mark.parametrize("size", [MAX_SIZE + 1, 100_000])
def test_what_is_too_long(long, size: int) -> None:
    with pytest.raises(LimitExceeded, match="may have 250 steps and conditions") as caught:
        parse_rules(rule(long(size)))
    assert (caught.value.line, caught.value.column) == (2, 25)


def test_variables_that_double() -> None:
    """A few lines that, written out, would have 2 ** 40 steps."""
    lets = "LET $x0 := resource(urn:a)\n"
    lets += "\n".join(f"LET $x{n + 1} := resource()[$x{n} = $x{n}]" for n in range(40))
    with pytest.raises(LimitExceeded, match="250 steps and conditions, its variables written out"):
        parse_rules(rule("$x40", lets))


def test_variables_that_nest() -> None:
    """Each LET is flat, and all of them together are not."""
    lets = "LET $x0 := resource(urn:a)\n"
    lets += "\n".join(f"LET $x{n + 1} := resource()[$x{n}]" for n in range(100))
    with pytest.raises(LimitExceeded, match="50 deep, variables written out"):
        parse_rules(rule("$x100", lets))


def test_the_longest_condition_is_one_that_can_be_asked() -> None:
    (read,) = parse_rules(rule(" or ".join(["True"] * MAX_SIZE)))
    assert Store().query(condition_query(read.condition))


MEGABYTE = 1 << 20


@pytest.mark.parametrize(
    "text",
    [
        "(" * MEGABYTE,
        "x" * MEGABYTE,
        "a." * (MEGABYTE // 2),
        "'" * MEGABYTE,
        "# " + "x" * MEGABYTE + "\n!",
        "\n" * MEGABYTE + "!",
        "ON INSERT resource(http://" + "a" * MEGABYTE,
        "ON INSERT resource() AS INSTANCE OF " + "a" * MEGABYTE,
        "ON INSERT resource() AS INSTANCE OF " + "a:" * (MEGABYTE // 2),
        "ON INSERT resource() AS INSTANCE OF a:" + r"\/" * (MEGABYTE // 2),
        "ON INSERT resource() IF resource() = '" + r"\u0041" * (MEGABYTE // 6),
        "ON INSERT resource()/element(" + "9" * MEGABYTE,
        "LET $" + "a" * MEGABYTE,
        "PRECEDES " + "a, " * (MEGABYTE // 3),
    ],
    ids=lambda text: text[:40],
)
def test_a_megabyte_of_anything(text: str) -> None:
    for parse in (parse_rules, parse_updates):
        with pytest.raises(SyntaxProblem) as caught:
            parse(text)
        assert len(str(caught.value)) < 1_000
    with pytest.raises(LimitExceeded, match="a rule may have 65,536 bytes"):
        parse_rule(text)


def test_one_rule_of_a_file_is_no_longer_than_a_rule_alone() -> None:
    arcs = ", ".join(["(_, p, 'x')"] * (MAX_TEXT_BYTES // 10))
    with pytest.raises(LimitExceeded, match="65,536 characters") as caught:
        parse_rules(rule("True") + f"\nON INSERT resource() IF True DO DELETE {arcs};;")
    assert caught.value.line == 3


def test_a_file_too_large_is_not_read() -> None:
    with pytest.raises(LimitExceeded, match="may have 16,777,216 bytes, found 16,777,217"):
        parse_rules(" " * (MAX_FILE_BYTES + 1))


def test_a_lone_surrogate() -> None:
    with pytest.raises(SyntaxProblem, match=r"wanted Unicode text, found the lone surrogate U\+D800"):
        parse_rules("ON INSERT resource() IF resource() = '\ud800' DO DELETE $delta;;")
