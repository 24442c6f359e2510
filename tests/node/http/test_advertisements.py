"""Advertising over HTTP: what a client will publish, kept, replaced, withdrawn and derived."""

from __future__ import annotations

from tests.node.http.serving import NQUADS, TURTLE, api_of, is_problem

from triplewire import Advertisement

PAPERS = Advertisement.properties(["urn:title", "urn:creator"]).to_turtle()
VALUES = Advertisement.values({"urn:creator": "W. Nejdl"}).to_turtle()


async def test_an_advertisement_is_kept_and_read_back_and_withdrawn(tmp_path):
    async with api_of(tmp_path / "node") as api:
        assert (await api.put("/advertisements/papers", content=PAPERS, headers=TURTLE)).status_code == 204
        answer = await api.get("/advertisements/papers")
        assert answer.headers["content-type"].startswith("text/turtle")
        assert Advertisement.parse(answer.content) == Advertisement.properties(["urn:title", "urn:creator"])
        assert (await api.put("/advertisements/papers", content=VALUES, headers=TURTLE)).status_code == 204
        assert "Nejdl" in (await api.get("/advertisements/papers")).text
        assert (await api.delete("/advertisements/papers")).status_code == 204
        assert is_problem(await api.get("/advertisements/papers"), 404, "unknown-advertisement")
        assert is_problem(await api.delete("/advertisements/papers"), 404, "unknown-advertisement")


async def test_an_advertisement_survives_a_restart(tmp_path):
    async with api_of(tmp_path / "node") as api:
        await api.put("/advertisements/papers", content=PAPERS, headers=TURTLE)
    async with api_of(tmp_path / "node") as api:
        [one] = (await api.get("/advertisements")).json()["advertisements"]
        assert (one["id"], one["owner"], one["derived"], one["ends"]) == ("papers", "anonymous", False, None)


async def test_an_advertisement_that_is_not_said_again_is_over(tmp_path):
    async with api_of(tmp_path / "node") as api:
        params = {"lasts": 1e-3}
        await api.put("/advertisements/papers", content=PAPERS, headers=TURTLE, params=params)
        await api.put("/advertisements/others", content=VALUES, headers=TURTLE, params={"lasts": 1_000})
        while (await api.get("/advertisements/papers")).status_code != 404:
            pass
        await api.node.advertisements.expire()
        listed = (await api.get("/advertisements")).json()["advertisements"]
        assert [one["id"] for one in listed] == ["others"]


async def test_what_is_no_advertisement_is_refused(tmp_path):
    async with api_of(tmp_path / "node") as api:
        answer = await api.put("/advertisements/x", content="<urn:a> <urn:b> <urn:c> .", headers=TURTLE)
        assert is_problem(answer, 400, "input-error")
        answer = await api.put("/advertisements/x", content="<urn:a> <urn:b", headers=TURTLE)
        assert is_problem(answer, 400, "syntax-problem")
        answer = await api.put("/advertisements/x", content=PAPERS, headers={"Content-Type": "text/html"})
        assert is_problem(answer, 415, "unknown-format")
        answer = await api.put("/advertisements/x", content=b"#" * (1 << 20), headers=TURTLE)
        assert is_problem(answer, 413, "limit-exceeded")
        assert (await api.get("/advertisements")).json() == {"advertisements": []}


async def test_clients_see_and_withdraw_their_own_only_and_readers_advertise_nothing(tmp_path):
    async with api_of(tmp_path / "node", open=False) as api:
        one, other = await api.register(), await api.register()
        reader = await api.register(rights={"publish": None})
        await api.put("/advertisements/papers", content=PAPERS, headers=TURTLE | one)
        assert (await api.get("/advertisements", headers=other)).json() == {"advertisements": []}
        assert len((await api.get("/advertisements", headers=one)).json()["advertisements"]) == 1
        assert len((await api.get("/advertisements")).json()["advertisements"]) == 1
        assert is_problem(await api.delete("/advertisements/papers", headers=other), 404, "unknown-advertisement")
        refused = await api.put("/advertisements/papers", content=PAPERS, headers=TURTLE | reader)
        assert is_problem(refused, 403, "forbidden")
        assert (await api.get("/advertisements", headers={"Authorization": "Bearer no"})).status_code == 401


async def test_a_client_that_is_gone_advertises_nothing(tmp_path):
    async with api_of(tmp_path / "node", open=False) as api:
        one = await api.register()
        await api.put("/advertisements/papers", content=PAPERS, headers=TURTLE | one)
        [entry] = api.node.advertisements.everyone()
        assert (await api.delete(f"/clients/{entry.record.owner}")).status_code == 204
        assert api.node.advertisements.everyone() == []


async def test_too_many_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("triplewire.node.broker.advertisements.MOST", 2)

    async with api_of(tmp_path / "node") as api:
        for name in ("a", "b"):
            assert (await api.put(f"/advertisements/{name}", content=PAPERS, headers=TURTLE)).status_code == 204
        refused = await api.put("/advertisements/c", content=PAPERS, headers=TURTLE)
        assert is_problem(refused, 429, "quota-exceeded")
        assert (await api.put("/advertisements/b", content=VALUES, headers=TURTLE)).status_code == 204


async def test_a_node_on_its_own_has_no_network_and_derives_nothing(tmp_path):
    async with api_of(tmp_path / "node") as api:
        assert is_problem(await api.get("/network"), 404, "not-in-network")
        await api.post("/events", content='<urn:s> <urn:p> "x" <urn:e:1> .', headers=NQUADS)
        assert (await api.get("/advertisements")).json() == {"advertisements": []}


async def test_what_one_client_advertises_must_fit_into_one_description(tmp_path):
    def schemas(start: int) -> str:
        names = " , ".join(f"<http://example.org/a-long-name-of-a-schema/{start + n}#>" for n in range(4_000))
        return f"[] a <urn:triplewire:SchemaAdvertisement> ; <urn:triplewire:schema> {names} ."

    async with api_of(tmp_path / "node") as api:
        assert (await api.put("/advertisements/one", content=schemas(0), headers=TURTLE)).status_code == 204
        answer = await api.put("/advertisements/two", content=schemas(4_000), headers=TURTLE)
        assert is_problem(answer, 400, "limit-exceeded")
        assert (await api.put("/advertisements/one", content=schemas(4_000), headers=TURTLE)).status_code == 204
