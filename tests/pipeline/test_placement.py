"""An index where tasks run: mapped where it lies if it may be read there, and else unpacked in Spark's own folder."""

from __future__ import annotations

import shutil
import stat
from functools import partial
from pathlib import Path

import msgspec
import pytest
from pyspark import SparkFiles

from triplewire import Subscription
from triplewire.errors import SnapshotError
from triplewire.pipeline.carrying import archives
from triplewire.pipeline.index import IndexRef, build_index
from triplewire.pipeline.placement import located, matcher_of
from triplewire.pipeline.strategies.csma import prepare_chains
from triplewire.pipeline.strategies.osma import prepare_parts

ASKED = [Subscription.parse("ASK { ?s <urn:p> ?o }", id="s"), Subscription.parse("ASK { ?s ?p ?o }", id="open")]


@pytest.fixture
def executor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """As a worker sees it: a folder for files that Spark carries, and one for the executor's own."""
    (tmp_path / "carried").mkdir()
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(SparkFiles, "_is_running_on_worker", True)
    monkeypatch.setattr(SparkFiles, "_root_directory", str(tmp_path / "carried"))
    monkeypatch.setenv("SPARK_LOCAL_DIRS", f"{tmp_path / 'own'},{tmp_path / 'other'}")
    return tmp_path


def carried(index: IndexRef, executor: Path) -> IndexRef:
    """The index as it is after Spark has carried it to a host that lacks its folder."""
    archives.pack_folder(Path(index.folder), executor / "carried" / f"triplewire-index-{index.version}.packed")
    shutil.rmtree(index.folder)
    return index


def test_an_index_is_unpacked_once_into_what_spark_removes(executor):
    index = carried(build_index(ASKED, None, executor / "indexes"), executor)
    here = located(index)
    assert Path(here.folder) == executor / "own" / "triplewire-carried" / f"triplewire-index-{index.version}"
    assert located(index) == here
    assert len(matcher_of(index)) == 2
    assert list((executor / "carried").iterdir()) == []


def test_an_index_that_is_neither_here_nor_carried_says_so(executor):
    index = build_index(ASKED, None, executor / "indexes")
    shutil.rmtree(index.folder)
    with pytest.raises(SnapshotError, match=r"found no index\.json in it: wanted it carried by Spark then, found no"):
        located(index)


def test_an_index_of_another_version_is_refused(executor):
    index = build_index(ASKED, None, executor / "indexes")
    with pytest.raises(SnapshotError, match="wanted the index of version 0, found"):
        located(msgspec.structs.replace(index, version="0"))


@pytest.mark.parametrize("prepare", [build_index, prepare_chains, partial(prepare_parts, parts=2)])
def test_workers_of_another_user_may_read_what_was_prepared(tmp_path, prepare):
    (tmp_path / "open").mkdir(mode=0o755)
    prepare(ASKED, None, tmp_path / "open" / "indexes")
    folders = [tmp_path / "open" / "indexes", *(tmp_path / "open" / "indexes").rglob("*")]
    closed = [str(path) for path in folders if not path.stat().st_mode & stat.S_IROTH]
    assert len(folders) > 3
    assert closed == []
