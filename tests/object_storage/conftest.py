from __future__ import annotations

import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.object_storage.server import Server, server
from tests.pipeline.conftest import spark
from tests.pipeline.jobs.conftest import feed

__all__ = ["feed", "spark"]


@pytest.fixture(scope="session")
def storage(tmp_path_factory) -> Iterator[Server]:
    program = Path(os.environ.get("TRIPLEWIRE_OBJECT_STORAGE", "")) / "minio"
    if not program.is_file():
        pytest.fail("wanted the server that scripts/object-storage/fetch builds, found none", pytrace=False)
    with server(program, tmp_path_factory.mktemp("storage")) as running:
        yield running


@pytest.fixture
def bucket(storage) -> str:
    """An empty bucket, as s3://NAME."""
    return storage.make_bucket(f"b{uuid.uuid4().hex[:12]}")
