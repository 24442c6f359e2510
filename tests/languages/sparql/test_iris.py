"""RFC 3986, section 5.4: the examples of resolving references."""

from __future__ import annotations

import pytest

from triplewire.languages.sparql.syntax.iris import resolve

EXAMPLES = """
g:h g:h | g http://a/b/c/g | ./g http://a/b/c/g | g/ http://a/b/c/g/ | /g http://a/g | //g http://g | ?y http://a/b/c/d;p?y
g?y http://a/b/c/g?y | #s http://a/b/c/d;p?q#s | g#s http://a/b/c/g#s | g?y#s http://a/b/c/g?y#s | ;x http://a/b/c/;x
g;x http://a/b/c/g;x | g;x?y#s http://a/b/c/g;x?y#s | . http://a/b/c/ | ./ http://a/b/c/ | .. http://a/b/ | ../ http://a/b/
../g http://a/b/g | ../.. http://a/ | ../../ http://a/ | ../../g http://a/g | ../../../g http://a/g | /./g http://a/g
/../g http://a/g | g. http://a/b/c/g. | .g http://a/b/c/.g | g.. http://a/b/c/g.. | ..g http://a/b/c/..g
./../g http://a/b/g | ./g/. http://a/b/c/g/ | g/./h http://a/b/c/g/h | g/../h http://a/b/c/h | g;x=1/./y http://a/b/c/g;x=1/y
g;x=1/../y http://a/b/c/y | g?y/./x http://a/b/c/g?y/./x | g#s/../x http://a/b/c/g#s/../x
"""
PAIRS = [tuple(pair.split()) for pair in EXAMPLES.replace("\n", " | ").split(" | ") if pair.strip()]


@pytest.mark.parametrize(("reference", "expected"), PAIRS)
def test_section_5_4(reference: str, expected: str) -> None:
    assert resolve("http://a/b/c/d;p?q", reference) == expected


def test_an_empty_reference_is_the_base_without_its_fragment() -> None:
    assert resolve("http://a/b?q#f", "") == "http://a/b?q"


def test_a_base_without_a_path() -> None:
    assert resolve("http://a", "g") == "http://a/g"
