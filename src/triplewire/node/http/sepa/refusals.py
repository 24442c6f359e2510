"""Errors in SEPA's form: an error, a status, and one sentence. Each begins as problem details, like any other.

So what authentication, limits, the router or the middleware refuse is said in that form as well, at paths where SEPA's
protocol is spoken.
"""

from __future__ import annotations

import msgspec
from fastapi import Response
from msgspec import Struct

from triplewire.wire.sepa import Refusal, refusal_answer

_PATHS = ("/sepa/", "/secure/", "/oauth/")
_MEDIA_TYPE = "application/json"
_OF_THE_BODY = ("content-length", "content-type")


class _Problem(Struct):
    type: str
    status: int
    detail: str


def refusal_in(problem: Response) -> Refusal:
    """What problem details say."""
    read = msgspec.json.decode(problem.body, type=_Problem)
    return Refusal(read.type.rpartition(":")[2], read.status, read.detail)


def formed_for(path: str, problem: Response) -> Response:
    """Problem details, in the form that whoever asks at a path understands."""
    if not path.startswith(_PATHS):
        return problem
    formed = Response(refusal_answer(refusal_in(problem)), problem.status_code, media_type=_MEDIA_TYPE)
    formed.headers.update({name: value for name, value in problem.headers.items() if name not in _OF_THE_BODY})
    return formed
