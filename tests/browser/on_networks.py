"""The network screen over real super-peers and a real event space: who is where, who is away, the way of an event."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.browser.library import NQUADS, QUERY, works
from tests.browser.looking import SIZES, visit

from triplewire.cli.network.processes import network
from triplewire.cli.space.processes import space

MEMBERS = 4


def test_super_peers_are_shown_in_their_cube_and_one_that_fails_is_seen(chromium: Any, tmp_path: Path):
    with network(tmp_path, MEMBERS, lambda _: None) as processes:
        first, *others = processes
        query = "SELECT ?w { ?w <http://purl.org/dc/terms/title> ?t }"
        for process in processes:
            httpx.put(f"{process.url}/subscriptions/titles", content=query, headers=QUERY, trust_env=False)
        httpx.post(f"{first.url}/events", content=works(1, 20), headers=NQUADS, trust_env=False).raise_for_status()
        for width in SIZES:
            with visit(chromium, first.url, width, "dark" if width == 2560 else "light") as looked:
                page = looked.page
                looked.go("network")
                looked.until(f"document.querySelectorAll('.member').length === {MEMBERS}")
                page.locator(".choices button").first.click()
                looked.until(f"document.querySelectorAll('.hop').length === {MEMBERS - 1}")
                assert looked.serious() == []
                looked.require_fine()
                looked.take_picture(f"network-{width}")
        others[-1].kill()
        with visit(chromium, first.url) as looked:
            looked.go("network")
            looked.page.get_by_text("failed").first.wait_for(timeout=60_000)
            looked.take_picture("network-away")


@pytest.mark.parametrize("nodes", [3])
def test_zones_of_a_space_are_shown_along_two_sides(chromium: Any, tmp_path: Path, nodes: int):
    with space(tmp_path, nodes, lambda _: None) as processes:
        url = processes[0].url
        httpx.post(
            f"{url}/events", content=works(1, 40), headers=NQUADS, trust_env=False, timeout=60
        ).raise_for_status()
        with visit(chromium, url) as looked:
            page = looked.page
            looked.go("network")
            looked.until(f"document.querySelectorAll('.zone').length >= {nodes}")
            page.get_by_label("Shown by 1").select_option("graph")
            assert looked.serious() == []
            looked.require_fine()
            looked.take_picture("network-space")
