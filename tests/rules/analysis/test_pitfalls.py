"""What `rules check` warns of because it is hardly what was meant."""

from __future__ import annotations

import pytest
from tests.rules.analysis.library import analysed


def kinds(rule: str) -> list[str]:
    return [found.kind for found in analysed(rule).pitfalls]


@pytest.mark.parametrize(
    ("rule", "warned"),
    [
        ("ON INSERT resource() AS INSTANCE OF Book IF $delta/target(title) = 'x' DO", True),
        ("ON INSERT resource() AS INSTANCE OF Book IF not $delta/target(title) DO", True),
        ("ON INSERT resource() AS INSTANCE OF Book IF $delta/source(likes) DO", True),
        ("ON INSERT resource() AS INSTANCE OF Book IF $delta[target(note) and target(title)]/target(by) DO", True),
        ("ON INSERT resource() AS INSTANCE OF Shelf IF $delta/element() DO", True),
        ("ON INSERT resource() IF $delta/target(title) DO", True),
        ("COUPLING DETACHED ON INSERT resource() AS INSTANCE OF Book IF $delta/target(title) DO", True),
        ("COUPLING DEFERRED ON INSERT resource() AS INSTANCE OF Book IF $delta/target(title) DO", False),
        # What the event waits for is there.
        ("ON INSERT resource()[target(title)] AS INSTANCE OF Book IF $delta/target(title) = 'x' DO", False),
        ("ON INSERT resource()[target(title)] AS INSTANCE OF Book IF $delta/target(note) = 'x' DO", True),
        ("ON INSERT resource() AS INSTANCE OF Book IF $shelf/element() = $delta DO", False),
        ("ON INSERT resource() AS INSTANCE OF Book IF $delta/target(rdf:type) = resource(ex:Work) DO", False),
        ("ON DELETE resource() AS INSTANCE OF Book IF $delta/target(title) DO", False),
        ("ON INSERT (_, title, _) IF $delta/target(note) DO", False),
    ],
)
def test_a_condition_that_looks_before_a_transaction_has_written(rule: str, warned: bool) -> None:
    assert kinds(f"{rule} INSERT ($shelf, seq++, resource(http://example.org/b))") == ["looks early"] * warned


def test_the_reason_names_what_is_read_and_what_to_do() -> None:
    [found] = analysed("ON INSERT resource() AS INSTANCE OF Book IF $delta/target(title) DO DELETE $delta").pitfalls
    assert found.rule == "r1"
    assert "reads <http://example.org/title> of a resource" in found.reason
    assert "COUPLING DEFERRED" in found.reason


@pytest.mark.parametrize(
    ("dependency", "warned"), [("MUTUAL", False), ("CHILDPARENT", False), ("PARENTCHILD", True), ("INDEPENDENT", True)]
)
def test_an_abort_that_takes_nothing_along(dependency: str, warned: bool) -> None:
    assert kinds(f"ABORT {dependency} ON INSERT (_, title, _) IF True DO ABORT 'no'") == ["aborts alone"] * warned
    assert kinds(f"ABORT {dependency} ON INSERT (_, title, _) IF True DO DELETE $delta") == []
