"""`/events`: publish in any format, read in any format, and what is refused."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from tests.node.http.serving import NQUADS, TURTLE, api_of, is_problem

from triplewire.rdf.formats import FORMATS
from triplewire.store.retention import Retention


async def test_publish_many_and_read_them_back(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = '<urn:a> <urn:p> "1" <urn:e:1> .\n<urn:b> <urn:p> "2" <urn:e:2> .\n'
        answer = await api.post("/events", content=body, headers=NQUADS)
        assert answer.status_code == 201
        assert answer.json() == {"events": [{"event": "urn:e:1", "position": 1}, {"event": "urn:e:2", "position": 2}]}
        page = await api.get("/events", params={"limit": 1})
        assert page.text == '<urn:a> <urn:p> "1" <urn:e:1> .\n'
        following = await api.get(page.links["next"]["url"])
        assert following.text == '<urn:b> <urn:p> "2" <urn:e:2> .\n'
        assert (await api.get("/events", params={"after": 2})).text == ""


async def test_a_page_of_large_events_is_shorter_and_nothing_is_passed_over(tmp_path: Path, monkeypatch):
    monkeypatch.setattr("triplewire.node.http.routes.events._PAGE_BYTES", 1_000)

    async with api_of(tmp_path) as api:
        sizes = (10, 10, 900, 2_000, 10, 10)
        lines = [f'<urn:a> <urn:p> "{"x" * size}" <urn:e:{n}> .\n' for n, size in enumerate(sizes)]
        assert (await api.post("/events", content="".join(lines), headers=NQUADS)).status_code == 201
        pages, url = [], "/events?limit=100"
        while url is not None:
            page = await api.get(url)
            pages.append(page.text.count("\n"))
            url = page.links["next"]["url"] if page.links else None
        assert pages == [2, 1, 1, 2]


async def test_a_page_tells_where_to_read_on_whatever_the_reader_may_see(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        lines = [f'<urn:a> <urn:{"open" if n > 3 else "closed"}:p> "{n}" <urn:e:{n}> .\n' for n in range(1, 6)]
        assert (await api.post("/events", content="".join(lines), headers=NQUADS)).status_code == 201
        reader = await api.register(rights={"subscribe": {"namespaces": ["urn:open:"]}})
        page = await api.get("/events", params={"limit": 2}, headers=reader)
        assert (page.text, page.headers["Triplewire-Position"]) == ("", "2")
        page = await api.get(page.links["next"]["url"], headers=reader)
        assert (page.text, page.headers["Triplewire-Position"]) == (lines[3], "4")
        page = await api.get(page.links["next"]["url"], headers=reader)
        assert (page.text, page.headers["Triplewire-Position"], page.links) == (lines[4], "5", {})
        beyond = await api.get("/events", params={"after": 9}, headers=reader)
        assert (beyond.text, beyond.headers["Triplewire-Position"], beyond.links) == ("", "5", {})


async def test_a_page_tells_of_what_retention_has_removed(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = "".join(f'<urn:a> <urn:p> "{n}" <urn:e:{n}> .\n' for n in range(1, 6))
        assert (await api.post("/events", content=body, headers=NQUADS)).status_code == 201
        await api.node.broker.housekeeping.trim(Retention(size=2 * len(body) // 5))
        page = await api.get("/events", params={"after": 1})
        assert page.headers["Triplewire-Gap"] == "3"
        assert page.text.count("\n") == 2
        assert "Triplewire-Gap" not in (await api.get("/events", params={"after": 3})).headers


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.name)
async def test_every_format_goes_in_and_comes_out(tmp_path: Path, form):
    async with api_of(tmp_path) as api:
        first = await api.post("/events", params={"graph": "urn:e:1"}, content="<urn:a> <urn:p> 1 .", headers=TURTLE)
        assert first.status_code == 201
        name = "urn%3Ae%3A1"
        read = await api.get(f"/events/{name}", headers={"Accept": form.media_types[0]})
        assert read.headers["content-type"].startswith(form.media_types[0])
        media = {"Content-Type": form.media_types[0]}
        again = await api.post("/events", params={"graph": "urn:e:1"}, content=read.content, headers=media)
        assert again.json()["events"] == [{"event": "urn:e:1", "position": 1}]


async def test_an_event_without_a_name_gets_one_and_a_key_keeps_it(tmp_path: Path):
    async with api_of(tmp_path) as api:

        async def send(key, text="<urn:a> <urn:p> 1 ."):
            return await api.post("/events", content=text, headers=TURTLE | {"Idempotency-Key": key})

        first = await send("k")
        assert first.json()["events"][0]["event"].startswith("urn:triplewire:event:")
        assert (await send("k")).json() == first.json()
        assert (await send("l")).json() != first.json()
        assert is_problem(await send("k", "<urn:a> <urn:p> 2 ."), 409, "event-conflict")


async def test_other_content_under_the_same_name_is_a_conflict(tmp_path: Path):
    async with api_of(tmp_path) as api:
        url = "/events?graph=urn:e:1"
        await api.post(url, content="<urn:a> <urn:p> 1 .", headers=TURTLE)
        assert is_problem(await api.post(url, content="<urn:a> <urn:p> 2 .", headers=TURTLE), 409, "event-conflict")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        (b"<urn:a> <urn:p> nonsense .", (1, 17)),
        (b"<urn:a> <urn:p> 1 .\n<urn:b> <urn:p> \xff .", (2, 17)),
        (b"<urn:a> <urn:p> <not absolute> .", (1, None)),
    ],
)
async def test_a1_malformed_rdf_is_400_with_line_and_column_and_nothing_is_stored(tmp_path: Path, body: bytes, place):
    async with api_of(tmp_path) as api:
        answer = await api.post("/events", content=body, headers=TURTLE)
        assert is_problem(answer, 400, "syntax-problem")
        assert answer.json()["line"] == place[0]
        assert place[1] is None or answer.json()["column"] == place[1]
        assert (await api.get("/events")).text == ""


async def test_a1_ill_typed_literals_are_kept_and_never_satisfy_a_number(tmp_path: Path):
    async with api_of(tmp_path) as api:
        integer = "<http://www.w3.org/2001/XMLSchema#integer>"
        query = {"Content-Type": "application/sparql-query"}
        for name, text in (
            ("number", "SELECT * { ?s <urn:p> ?o FILTER(?o > 0 || ?o <= 0) }"),
            ("term", f'SELECT * {{ ?s <urn:p> "abc"^^{integer} }}'),
        ):
            assert (await api.put(f"/subscriptions/{name}", content=text, headers=query)).status_code == 201
        await api.post("/events", content=f'<urn:a> <urn:p> "abc"^^{integer} .', headers=TURTLE)
        told = [
            (await api.get(f"/subscriptions/{n}/notifications")).json()["notifications"] for n in ("number", "term")
        ]
        assert (len(told[0]), len(told[1])) == (0, 1)


@pytest.mark.parametrize(
    ("headers", "body", "status", "kind"),
    [
        ({}, b"x", 415, "unknown-format"),
        ({"Content-Type": "image/png"}, b"x", 415, "unknown-format"),
        (TURTLE, b"", 400, "empty-event"),
        ({"Content-Type": "application/rdf+xml"}, b"<!DOCTYPE x [<!ENTITY % a 'b'>]><x/>", 400, "refused-feature"),
        (TURTLE | {"Content-Encoding": "br"}, b"x", 415, "unknown-format"),
        (TURTLE | {"Content-Encoding": "gzip"}, b"x", 400, "input-error"),
    ],
)
async def test_what_is_refused(tmp_path: Path, headers, body, status, kind):
    async with api_of(tmp_path) as api:
        assert is_problem(await api.post("/events", content=body, headers=headers), status, kind)


async def test_a7_too_large_is_413_however_it_comes(tmp_path: Path):
    large = b'<urn:a> <urn:p> "' + b"x" * 20_000 + b'" .'

    async def chunks():
        for start in range(0, len(large), 1000):
            yield large[start : start + 1000]

    async with api_of(tmp_path, request_bytes=10_000) as api:
        assert is_problem(await api.post("/events", content=large, headers=TURTLE), 413, "limit-exceeded")
        assert is_problem(await api.post("/events", content=chunks(), headers=TURTLE), 413, "limit-exceeded")
        zipped = TURTLE | {"Content-Encoding": "gzip"}
        answer = await api.post("/events", content=gzip.compress(large), headers=zipped)
        assert is_problem(answer, 413, "limit-exceeded")
        assert (await api.get("/events")).text == ""
        fine = await api.post("/events", content=gzip.compress(b"<urn:a> <urn:p> 1 ."), headers=zipped)
        assert fine.status_code == 201


async def test_a7_a_gzip_bomb_is_not_expanded(tmp_path: Path):
    async with api_of(tmp_path, request_bytes=100_000) as api:
        bomb = gzip.compress(b" " * 50_000_000)
        zipped = TURTLE | {"Content-Encoding": "gzip"}
        assert is_problem(await api.post("/events", content=bomb, headers=zipped), 413, "limit-exceeded")


async def test_a7_an_event_of_more_than_its_limit_is_413(tmp_path: Path):
    async with api_of(tmp_path, event_bytes=5_000) as api:
        body = "\n".join(f"<urn:a> <urn:p> {number} ." for number in range(200))
        assert is_problem(await api.post("/events", content=body, headers=TURTLE), 413, "limit-exceeded")


async def test_an_event_that_is_not_there(tmp_path: Path):
    async with api_of(tmp_path) as api:
        assert is_problem(await api.get("/events/urn%3Anone"), 404, "unknown-event")
        assert is_problem(await api.get("/events", headers={"Accept": "image/png"}), 406, "http")
        assert is_problem(await api.get("/events", params={"after": "x"}), 422, "malformed-request")


async def test_relative_iris_count_from_the_request_or_from_what_it_says(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = "<s> <urn:p> <#o> ."
        for query, graph in (("", "urn:e:1"), ("&base=http://example.org/doc", "urn:e:2")):
            answer = await api.post(f"/events?graph={graph}{query}", content=body, headers=TURTLE)
            assert answer.status_code == 201, answer.text
        first, second = [(await api.get(f"/events/urn:e:{n}")).text for n in (1, 2)]
        assert first == "<http://localhost/s> <urn:p> <http://localhost/events#o> <urn:e:1> .\n"
        assert second == "<http://example.org/s> <urn:p> <http://example.org/doc#o> <urn:e:2> .\n"
        refused = await api.post("/events?base=doc", content=body, headers=TURTLE)
        assert is_problem(refused, 400, "invalid-term")


async def test_taxonomy_and_schema_have_a_base_too(tmp_path: Path):
    async with api_of(tmp_path) as api:
        body = "<#a> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <#b> ."
        for path in ("/taxonomy", "/schema"):
            answer = await api.put(f"{path}?base=http://example.org/classes", content=body, headers=TURTLE)
            assert answer.status_code == 204, answer.text
            assert "<http://example.org/classes#b>" in (await api.get(path)).text


async def test_a_host_that_is_no_iri_does_no_harm(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        body = '<urn:s> <urn:p> "1" <urn:e:1> .'
        for host in ("[", "a<b", "x y"):
            answer = await api.post("/events", content=body, headers=NQUADS | {"Host": host})
            assert answer.status_code in (201, 400, 403, 421), answer.text


async def test_graphs_named_by_blank_nodes_are_events(tmp_path: Path):
    async with api_of(tmp_path) as api:
        trig = {"Content-Type": "application/trig"}
        answers = [await api.post("/events", content="_:g { <urn:s> <urn:p> 1 }", headers=trig) for _ in range(2)]
        first, second = [answer.json()["events"] for answer in answers]
        assert first == second
        assert first[0]["event"].startswith("urn:triplewire:.well-known/genid/")


async def test_a_context_of_the_nodes_map_may_be_named_by_address(tmp_path: Path):
    (tmp_path / "people.jsonld").write_text('{"@context": {"name": "urn:name"}}')
    (tmp_path / "map.json").write_text('{"https://example.org/people": "people.jsonld"}')
    jsonld = {"Content-Type": "application/ld+json"}

    async with api_of(tmp_path / "node", contexts=tmp_path / "map.json") as api:
        body = '{"@context": "https://example.org/people", "@id": "urn:a", "name": "Ann"}'
        answer = await api.post("/events?graph=urn:e", content=body, headers=jsonld)
        assert answer.status_code == 201, answer.text
        assert (await api.get("/events/urn:e")).text == '<urn:a> <urn:name> "Ann" <urn:e> .\n'
        other = await api.post("/events", content=body.replace("people", "others"), headers=jsonld)
        assert is_problem(other, 400, "refused-feature")
