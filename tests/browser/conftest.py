"""A browser that a test drives, and nodes for it to look at."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.browser.library import furnish
from tests.browser.looking import FLAGS
from tests.node.processes import Process, running


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """Debian's Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    found = shutil.which("chromium")
    if found is None:
        raise AssertionError("wanted a browser, found none: apt-get install chromium")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=found, args=[*FLAGS])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """An open node with a library's data, and 130 subscriptions more."""
    folder: Path = tmp_path_factory.mktemp("library") / "node"
    # On a thread of its own: the driver of the browser has a loop on this one.
    with ThreadPoolExecutor() as threads:
        threads.submit(asyncio.run, furnish(folder, many=130)).result()
    with running(folder, "--open", "--allow-loopback-webhooks") as node:
        yield node
