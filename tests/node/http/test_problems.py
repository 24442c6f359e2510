"""Errors as problem details: the members that a program may look at, and nothing that JSON cannot carry."""

from __future__ import annotations

import json
from typing import Any

import pytest

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem, TriplewireError, UnknownEvent
from triplewire.node.http.problems import problem_of


def told(error: TriplewireError) -> dict[str, Any]:
    return dict(json.loads(problem_of(error).body))


@pytest.mark.parametrize(
    ("error", "members"),
    [
        (UnknownEvent(wanted="the event <urn:e>", found="none"), {"wanted": "the event <urn:e>", "found": "none"}),
        (InputError(wanted="a query"), {"wanted": "a query"}),
        (InputError("it broke"), {}),
        (
            SyntaxProblem(wanted="'}'", found="'{'", line=2, column=7),
            {"wanted": "'}'", "found": "'{'", "line": 2, "column": 7},
        ),
        (LimitExceeded("quads", 3, "too many"), {"limit": "quads", "allowed": 3}),
    ],
)
def test_what_was_wanted_and_found_are_members_where_they_are_known(
    error: TriplewireError, members: dict[str, Any]
) -> None:
    body = told(error)
    assert body["detail"] == str(error)
    assert {name: body[name] for name in body if name not in ("type", "title", "status", "detail")} == members


def test_a_lone_surrogate_is_replaced_in_every_member() -> None:
    body = told(InputError(wanted="Unicode text", found="\ud800"))
    assert (body["found"], body["detail"]) == ("?", "wanted Unicode text, found ?")
