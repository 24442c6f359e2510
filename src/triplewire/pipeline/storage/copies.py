"""Files of a storage as files of this machine, for what reads only such: subscriptions and taxonomies."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec import Struct

from triplewire.errors import InputError
from triplewire.pipeline.storage.files import find_file, list_files, open_range
from triplewire.pipeline.storage.location import Location


class Copies(Struct, frozen=True):
    """Paths that can be opened here, and where each is a copy from."""

    paths: list[str]
    origins: list[str]

    def origin(self, path: str) -> str:
        """Where a file at or under one of the paths is a copy from."""
        for here, there in zip(self.paths, self.origins, strict=True):
            if here != there and path.startswith(here):
                return there + path.removeprefix(here)
        return path


@contextmanager
def files_here(paths: Sequence[str], storage: Mapping[str, str]) -> Iterator[Copies]:
    """The same files or folders, as paths that can be opened here while the block lasts. What is here is not copied."""
    with tempfile.TemporaryDirectory(prefix="triplewire-copies-") as folder:
        locations = [Location.of(path, storage) for path in paths]
        here = [_here(location, Path(folder) / str(number)) for number, location in enumerate(locations)]
        yield Copies(here, [location.uri for location in locations])


def _here(location: Location, folder: Path) -> str:
    if location.is_local:
        return location.path
    found = find_file(location)
    files = list_files(location, recursive=True) if found is None else [found]
    if not files:
        raise InputError(wanted="a file or a folder", found="nothing", source=location.uri)
    root = location if found is None else location.parent
    for file in files:
        path = folder / file.location.relative_to(root)
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_range(file.location) as source, path.open("wb") as copy:
            shutil.copyfileobj(source, copy)
    return str(folder if found is None else folder / location.name)
