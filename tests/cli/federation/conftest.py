"""A node with a stub in place of its federation, and the command line as a function that talks to it."""

from __future__ import annotations

import pytest
from tests.node.http.federations import StubFederation, served


@pytest.fixture
def federation() -> StubFederation:
    return StubFederation()


@pytest.fixture
def call(run, tmp_path, federation):
    with served(tmp_path / "node", federation) as url:

        def called(*args: str, stdin: str | bytes | None = None):
            return run(*args, "--node", url, stdin=stdin)

        yield called
