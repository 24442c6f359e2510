"""The page of the HTTP API: whole, and of this node alone."""

from __future__ import annotations

import re
from pathlib import Path

from tests.node.http.serving import api_of, is_problem


async def test_everything_that_the_page_loads_is_there_and_of_this_node(tmp_path: Path):
    async with api_of(tmp_path) as api:
        page = await api.get("/docs")
        assert page.headers["content-type"] == "text/html; charset=utf-8"
        loaded = re.findall(r'(?:src|href)="([^"]+)"', page.text)
        assert len(loaded) == 5
        for address in loaded:
            assert "//" not in address
            answer = await api.get(f"/{address}")
            assert answer.status_code == 200, address
            assert answer.content


async def test_the_page_may_load_nothing_from_elsewhere_and_run_nothing_inline(tmp_path: Path):
    async with api_of(tmp_path) as api:
        for path in ("/docs", "/docs/start.js", "/docs/swagger-ui.css"):
            policy = (await api.get(path)).headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "unsafe" not in policy
        page = (await api.get("/docs")).text
    assert not re.search(r"<script>|<style|onload=", page)


async def test_no_secret_is_needed_as_for_the_document_itself(tmp_path: Path):
    async with api_of(tmp_path, open=False) as api:
        for path in ("/docs", "/docs/start.js", "/openapi.json"):
            assert (await api.get(path, headers={"Authorization": ""})).status_code == 200


async def test_another_file_is_not_there(tmp_path: Path):
    async with api_of(tmp_path) as api:
        assert is_problem(await api.get("/docs/main.py"), 404, "http")
        assert is_problem(await api.get("/docs/..%2Fmain.py"), 404, "http")
