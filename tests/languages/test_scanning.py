"""The scanner: what stands here, and errors that stay readable."""

from __future__ import annotations

import re

import pytest

from triplewire.errors import LimitExceeded, SyntaxProblem
from triplewire.languages.scanner import MAX_TEXT_BYTES, SPACES_IN_A_LINE, Scanner

WORD = re.compile(r"\w+")


def test_takes_what_is_wanted_and_the_gap_behind_it() -> None:
    scanner = Scanner(" one # remark\n  two")
    assert scanner.expect(WORD, "a word").group() == "one"
    assert scanner.sees(WORD)
    assert scanner.expect(WORD, "a word").group() == "two"
    assert scanner.at_end


def test_the_end_of_a_line_may_mean_something() -> None:
    scanner = Scanner("one # remark\ntwo", SPACES_IN_A_LINE)
    scanner.expect(WORD, "a word")
    assert scanner.here() == "the end of the line"
    assert scanner.accept(WORD) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "the end of the text"),
        ("(x", "("),
        ("<urn:a> b", "<urn:a>"),
        ("< b", "<"),
        ('"a b" c', '"a b"'),
        ("ex:a b", "ex:a"),
        ("?x y", "?x"),
        ("!= 3", "!="),
        ("a" * 100, "a" * 60 + "..."),
        ("\x00", "\x00"),
        ("\xa0", r"'\xa0'"),
    ],
)
def test_says_what_stands_here(text: str, found: str) -> None:
    assert Scanner(text).here() == found


def test_an_error_has_line_and_column() -> None:
    scanner = Scanner("one\n  (")
    scanner.expect(WORD, "a word")
    with pytest.raises(SyntaxProblem, match=r"^2:3: wanted a word, found \(") as caught:
        scanner.expect(WORD, "a word")
    assert (caught.value.line, caught.value.column) == (2, 3)


def test_size_is_counted_in_bytes() -> None:
    Scanner("é" * (MAX_TEXT_BYTES // 2))
    with pytest.raises(LimitExceeded, match="65,538"):
        Scanner("é" * (MAX_TEXT_BYTES // 2 + 1))
