"""Plain updates go round FastAPI: what they are answered is what the usual way answers."""

from __future__ import annotations

import pytest
from starlette.routing import Match
from tests.node.http.serving import api_of, is_problem

from triplewire.node.http.routes import living
from triplewire.node.http.routes.living import PLAIN_UPDATE

UPDATE = {"Content-Type": "application/sparql-update"}
FORM = {"Content-Type": "application/x-www-form-urlencoded"}
# A parameter that nobody asks for.
USUAL = "?nothing=1"


@pytest.fixture
def taken(monkeypatch):
    """The requests that were handed over."""
    paths = []

    async def noting(request):
        paths.append(request.url.path)
        return await living.update(request)

    monkeypatch.setattr(PLAIN_UPDATE, "_endpoint", noting)
    return paths


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        (UPDATE, "INSERT DATA { <urn:a> <urn:p> 1 }"),
        (UPDATE, "INSERT DATA { <a> <p> 1 }"),
        (FORM, "update=INSERT+DATA+%7B+%3Curn%3Aa%3E+%3Curn%3Ap%3E+1+%7D"),
        (FORM, "nothing=1"),
        (UPDATE, "INSERT DATA { "),
        (UPDATE, b"\xff"),
        (UPDATE, "LOAD <urn:x>"),
        ({"Content-Type": "text/plain"}, "INSERT DATA {}"),
        ({}, "INSERT DATA {}"),
        (UPDATE | {"Content-Encoding": "gzip"}, "INSERT DATA {}"),
        (UPDATE | {"Authorization": "Bearer of nothing"}, "INSERT DATA {}"),
        (UPDATE | {"Origin": "http://elsewhere.example"}, "INSERT DATA {}"),
        (UPDATE, "INSERT DATA {} # " + "x" * (1 << 23)),
    ],
)
async def test_the_answer_is_that_of_the_usual_way(tmp_path, taken, headers, body):
    async with api_of(tmp_path / "one") as one, api_of(tmp_path / "other") as other:
        direct = await one.post("/update", content=body, headers=headers)
        assert taken == ["/update"]
        usual = await other.post(f"/update{USUAL}", content=body, headers=headers)
        assert taken == ["/update"]
    assert direct.status_code == usual.status_code
    assert direct.headers["content-type"] == usual.headers["content-type"]
    if direct.status_code == 200:
        assert {**direct.json(), "time": 0, "events": 0} == {**usual.json(), "time": 0, "events": 0}
    else:
        assert direct.json() == usual.json()


async def test_a_key_for_repeating_goes_the_usual_way(tmp_path, taken):
    async with api_of(tmp_path) as api:
        said = {**UPDATE, "Idempotency-Key": "k"}
        answers = [await api.post("/update", content="INSERT DATA { <urn:a> <urn:p> 1 }", headers=said) for _ in "12"]
        assert answers[0].json() == answers[1].json()
        assert is_problem(
            await api.post("/update", content="INSERT DATA {}", headers={**UPDATE, "Idempotency-Key": "k" * 201}),
            422,
            "malformed-request",
        )
    assert taken == []


async def test_a_bug_is_told_as_everywhere(tmp_path, monkeypatch):
    async def broken(request):
        raise ZeroDivisionError

    monkeypatch.setattr(PLAIN_UPDATE, "_endpoint", broken)
    async with api_of(tmp_path) as api:
        assert is_problem(await api.post("/update", content="INSERT DATA {}", headers=UPDATE), 500, "bug")


async def test_other_methods_and_the_document_are_as_ever(tmp_path, taken):
    async with api_of(tmp_path) as api:
        assert is_problem(await api.get("/update"), 405, "http")
        assert "post" in (await api.get("/openapi.json")).json()["paths"]["/update"]
    assert taken == []


@pytest.mark.parametrize(
    ("scope", "is_taken"),
    [
        ({}, True),
        ({"method": "GET"}, False),
        ({"path": "/updates"}, False),
        ({"query_string": b"key=1"}, False),
        ({"headers": [(b"idempotency-key", b"")]}, False),
        ({"type": "websocket"}, False),
    ],
)
def test_only_plain_requests_are_taken(scope, is_taken):
    whole = {"type": "http", "method": "POST", "path": "/update", "query_string": b"", "headers": [], **scope}
    assert (PLAIN_UPDATE.matches(whole)[0] is Match.FULL) == is_taken
