"""A feed, and the lake after one run over it, made once for all tests of jobs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tests.pipeline.samples import request_of, write_feed

from triplewire.pipeline.jobs.matching import match_files


@pytest.fixture(scope="session")
def feed(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("feed")
    write_feed(folder)
    return folder


@pytest.fixture(scope="session")
def lake(spark, feed, tmp_path_factory) -> Path:
    """A lake after one run. Tests that change it take a copy."""
    out = tmp_path_factory.mktemp("lakes") / "lake"
    match_files(spark, request_of(feed, out, run_id="first"))
    return out


@pytest.fixture
def own_lake(lake, tmp_path) -> Path:
    shutil.copytree(lake, tmp_path / "lake")
    return tmp_path / "lake"
