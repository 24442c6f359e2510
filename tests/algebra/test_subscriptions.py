"""What a subscription may be called, and what it is read from."""

from __future__ import annotations

import pytest

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, InvalidTerm, UnknownFormat


def test_without_an_identifier_it_is_named_after_its_text() -> None:
    first, again, other = (Subscription.parse(text) for text in ("ASK {}", "ASK {}", "ASK { }"))
    assert first.id == again.id
    assert first.id != other.id


@pytest.mark.parametrize("word", ["\ud800", "file\udcff", 5, b"name"])
def test_names_are_text_that_can_be_written(word: object) -> None:
    with pytest.raises(InvalidTerm, match=r"wanted .*text as the identifier or owner"):
        Subscription.parse("ASK {}", id=word)  # type: ignore[arg-type]
    with pytest.raises(InvalidTerm, match=r"wanted .*text as the identifier or owner"):
        Subscription.parse("ASK {}", id="s", owner=word)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", [None, b"ASK {}", 3])
def test_a_subscription_is_text(text: object) -> None:
    with pytest.raises(InputError, match=r"wanted a subscription as text, found (NoneType|bytes|int)"):
        Subscription.parse(text)  # type: ignore[arg-type]


def test_a_language_must_be_known() -> None:
    with pytest.raises(
        UnknownFormat, match="wanted a subscription language, one of formula, graph, sparql, found 'cypher'"
    ):
        Subscription.parse("MATCH (n)", language="cypher")
