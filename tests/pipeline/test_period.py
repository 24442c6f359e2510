"""A period passes over files by the least and greatest time in them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from triplewire.pipeline.period import ALWAYS, Period

MAY = Period(datetime(2024, 5, 1), datetime(2024, 6, 1, tzinfo=UTC))


def day(month: int, number: int) -> datetime:
    return datetime(2024, month, number, tzinfo=UTC)


@pytest.mark.parametrize(
    ("low", "high", "meets"),
    [
        (day(4, 1), day(4, 30), False),
        (day(4, 1), day(5, 1), True),
        (day(5, 31), day(7, 1), True),
        (day(6, 1), day(7, 1), False),
        (None, None, True),
        (day(6, 1), None, False),
    ],
)
def test_what_may_be_in_it(low, high, meets):
    assert MAY.meets(low, high) is meets
    assert ALWAYS.meets(low, high)
