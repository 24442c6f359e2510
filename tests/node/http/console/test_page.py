"""`/` and `/assets`: the page goes out with a strict policy; where it was not built, it says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.http.serving import api_of, is_problem

from triplewire.web import built_page


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page that was built, of two files."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><title>page</title>")
    (folder / "assets" / "index-1a2b.js").write_text("export {}")
    (folder / "assets" / "notes.txt").write_text("not of the page")
    (tmp_path / "secret.js").write_text("of somebody else")
    monkeypatch.setattr(built_page, "_folder", lambda: folder)
    built_page._assets.cache_clear()
    return folder


async def test_a18_the_page_may_load_nothing_but_what_the_node_serves(built: Path, tmp_path: Path):
    async with api_of(tmp_path / "data", open=False) as api:
        page = await api.get("/", headers={"Authorization": ""})
        assert (page.status_code, page.headers["content-type"]) == (200, "text/html; charset=utf-8")
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "frame-ancestors 'none'" in policy
        assert "unsafe" not in policy
        assert page.headers["cache-control"] == "no-cache"
        assert page.headers["x-content-type-options"] == "nosniff"


async def test_what_has_a_hash_in_its_name_is_kept_for_ever(built: Path, tmp_path: Path):
    async with api_of(tmp_path / "data") as api:
        script = await api.get("/assets/index-1a2b.js")
        assert (script.text, script.headers["content-type"]) == ("export {}", "text/javascript; charset=utf-8")
        assert "immutable" in script.headers["cache-control"]


@pytest.mark.parametrize("name", ["none.js", "notes.txt", "..%2F..%2Fsecret.js", "%2e%2e", "."])
async def test_nothing_else_is_served(built: Path, tmp_path: Path, name: str):
    async with api_of(tmp_path / "data") as api:
        assert is_problem(await api.get(f"/assets/{name}"), 404, "http")


async def test_without_the_page_it_says_how_to_build_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(built_page, "_folder", lambda: tmp_path / "nothing")
    built_page._assets.cache_clear()
    async with api_of(tmp_path / "data") as api:
        page = await api.get("/")
        assert page.status_code == 200
        assert "make web" in page.text
        assert is_problem(await api.get("/assets/index.js"), 404, "http")
