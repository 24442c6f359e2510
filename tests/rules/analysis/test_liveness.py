"""Rules that can never fire under the schema."""

from __future__ import annotations

import pytest
from tests.rules.analysis.library import analysed

DO = "DO INSERT (resource(http://example.org/ann), knows, resource(http://example.org/bob))"
ON_WORK = "ON INSERT resource() AS INSTANCE OF Work"


@pytest.mark.parametrize(
    ("rule", "why"),
    [
        # A literal has no arcs.
        ("ON INSERT resource()/target(title)/target(by) IF True", "the path of its event leads nowhere"),
        # A work is no container.
        ("ON INSERT resource()/target(likes)/element() AS INSTANCE OF Work IF True", "the path of its event leads"),
        # A title is no resource, and an author is no literal.
        ("ON INSERT (_, title, resource(http://example.org/b)/target(by)) IF True", "no triple of this schema"),
        ("ON INSERT (_, by, 'Ann') IF True", "no triple of this schema"),
        (f"{ON_WORK} IF False", "its condition cannot hold"),
        (f"{ON_WORK} IF not True", "its condition cannot hold"),
        (f"{ON_WORK} IF $delta/target(title) and False", "its condition cannot hold"),
        (f"{ON_WORK} IF $delta/target(title)/target(by)", "its condition cannot hold"),
        (f"{ON_WORK} IF $delta/target(by) = 'Ann'", "its condition cannot hold"),
        (f"{ON_WORK} IF $delta/target(by) = $delta/target(title)", "its condition cannot hold"),
        (f"{ON_WORK} IF $delta/target(by)/element() or False", "its condition cannot hold"),
    ],
)
def test_a_rule_that_can_never_fire(rule, why):
    found = analysed(f"{rule} {DO}").never_firing
    assert list(found) == ["r1"]
    assert found["r1"].startswith(why)


@pytest.mark.parametrize(
    "rule",
    [
        f"{ON_WORK} IF True",
        f"{ON_WORK} IF $delta/target(by) != 'Ann'",
        f"{ON_WORK} IF not $delta/target(title)/target(by)",
        f"{ON_WORK} IF $delta/target(title) or False",
        # RDFS lets a person be a work as well.
        f"{ON_WORK} IF $delta/target(knows)",
        "ON INSERT (_, _, 'Ann') IF True",
        "ON INSERT ($shelf, _, _) IF True",
        "ON INSERT $shelf/element() IF True",
        "ON DELETE (resource()/source(by), title, _) IF True",
    ],
)
def test_a_rule_that_may_fire(rule):
    assert analysed(f"{rule} {DO}").never_firing == {}
