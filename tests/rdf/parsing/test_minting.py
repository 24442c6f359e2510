from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

from triplewire.rdf.parsing.event_names import mint_event_iri

NOON = datetime(2024, 5, 1, 12, tzinfo=UTC)


def test_the_same_source_time_and_content_give_the_same_name() -> None:
    later_zone = NOON.astimezone(timezone(timedelta(hours=9)))
    assert mint_event_iri("a", NOON, ["x", "y"]) == mint_event_iri("a", later_zone, ["x", "y"])


def test_anything_else_gives_another_name() -> None:
    names = [
        mint_event_iri("a", NOON, ["x", "y"]),
        mint_event_iri("b", NOON, ["x", "y"]),
        mint_event_iri(None, NOON, ["x", "y"]),
        mint_event_iri("", NOON, ["x", "y"]),
        mint_event_iri("a", NOON + timedelta(microseconds=1), ["x", "y"]),
        mint_event_iri("a", NOON, ["xy"]),
        mint_event_iri("a", NOON, ["x"]),
    ]
    assert len(set(names)) == len(names)


def test_a_source_may_be_any_text() -> None:
    assert mint_event_iri("file \ud800 <>", NOON, ["x"]).value.startswith("urn:triplewire:event:")
