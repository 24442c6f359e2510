"""The node as a whole: its administrator."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.errors import Unauthenticated
from triplewire.node.service import Node
from triplewire.node.settings import Settings


class EndedError(RuntimeError):
    """The process ends here."""


async def test_an_administrator_whose_secret_was_not_shown_is_not_kept(tmp_path: Path):
    def broken(_: str) -> None:
        raise EndedError

    shown: list[str] = []
    node = await Node.open(Settings(data=tmp_path))
    with pytest.raises(EndedError):
        await node.make_admin(broken)
    await node.stop()
    node = await Node.open(Settings(data=tmp_path))
    await node.make_admin(shown.append)
    await node.make_admin(shown.append)
    assert len(shown) == 1
    assert node.client(shown[0]).rights.is_admin
    with pytest.raises(Unauthenticated):
        node.client("tws_guessed")
    await node.stop()
