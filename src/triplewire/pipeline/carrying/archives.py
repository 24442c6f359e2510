"""What Spark has carried to an executor as one archive, unpacked there once for all of its Python workers.

Archives and what is unpacked lie in folders of Spark's own, and go with the application.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from pathlib import Path

from triplewire.system.folder_lock import wait_for_folder


def packed(name: str) -> str:
    """The name under which an archive is carried. Spark would unpack `.tar` itself, among all other files."""
    return f"{name}.packed"


def pack_folder(folder: Path, archive: Path) -> None:
    """Put the content of a folder into an archive."""
    with tarfile.open(archive, "w") as tar:
        tar.add(folder, ".")


def carried(name: str) -> Path | None:
    """A file that Spark has carried here, if it has."""
    from pyspark import SparkFiles

    path = Path(SparkFiles.get(name))
    return path if path.is_file() else None


def unpacked(name: str) -> Path | None:
    """The folder that was carried here under a name, if it was. The first process to ask unpacks it for all."""
    home = _executor_folder()
    folder = home / name
    if folder.is_dir():
        return folder
    if carried(packed(name)) is None:
        return None
    home.mkdir(exist_ok=True)
    with wait_for_folder(home / f"{name}.lock"):
        archive = carried(packed(name))
        if archive is not None and not folder.is_dir():
            draft = Path(tempfile.mkdtemp(dir=home))
            _extract(archive, draft)
            draft.rename(folder)
            # In a folder that a standalone worker keeps after the application has ended.
            archive.unlink()
    return folder


def _extract(archive: Path, folder: Path) -> None:
    with tarfile.open(archive) as tar:
        # Python 3.11.4 is the first to know filters.
        tar.extraction_filter = getattr(tarfile, "data_filter", None)
        tar.extractall(folder)


def _executor_folder() -> Path:
    """A folder that all Python workers of an executor share, and that Spark removes when the application ends."""
    from pyspark import SparkFiles

    [first, *_] = os.environ.get("SPARK_LOCAL_DIRS", SparkFiles.getRootDirectory()).split(",")
    return Path(first) / "triplewire-carried"
