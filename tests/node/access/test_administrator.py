"""Another secret for an administrator who has lost it."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.errors import FolderInUse, InputError, Unauthenticated
from triplewire.node.access.administrator import ADMIN, reset
from triplewire.node.service import Node
from triplewire.node.settings import Settings


async def first_secret(folder: Path) -> str:
    shown: list[str] = []
    node = await Node.open(Settings(data=folder))
    await node.make_admin(shown.append)
    await node.stop()
    return shown[0]


async def test_the_new_secret_is_the_administrators_and_the_old_one_nobodys(tmp_path: Path):
    old, shown = await first_secret(tmp_path), list[str]()
    reset(tmp_path, shown.append)
    node = await Node.open(Settings(data=tmp_path))
    try:
        found = node.client(shown[0])
        assert (found.id, found.rights.is_admin) == (ADMIN, True)
        with pytest.raises(Unauthenticated):
            node.client(old)
        await node.make_admin(lambda _: pytest.fail("there is an administrator"))
    finally:
        await node.stop()


async def test_a_node_that_runs_keeps_its_administrator(tmp_path: Path):
    node = await Node.open(Settings(data=tmp_path))
    try:
        with pytest.raises(FolderInUse):
            reset(tmp_path, lambda _: pytest.fail("nothing may be shown"))
    finally:
        await node.stop()


def test_what_is_no_data_folder_does_not_become_one(tmp_path: Path):
    with pytest.raises(InputError, match="the data folder of a node"):
        reset(tmp_path / "absent", lambda _: None)
    assert not (tmp_path / "absent").exists()
