"""What a strategy has prepared, in a folder of its own under a common root.

    ROOT/<version>/                   replicate: the index as it is (see `pipeline.index`)
    ROOT/<version>-osma-<parts>/      an index for each part, and routes.npz, which leads events to them
    ROOT/<version>-csma/              chains.parquet and subscriptions.parquet, and an index of those that are open

The version is that of the whole: equal subscriptions under an equal taxonomy are prepared once. A folder appears
whole or not at all.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol, TypeVar

import msgspec

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError
from triplewire.matching import Matcher
from triplewire.pipeline.index import new_draft, save_index

FORMAT = 1
_DESCRIPTION = "prepared.json"


class Described(Protocol):
    """A Struct that is written into the folder as `prepared.json`."""

    @property
    def folder(self) -> str: ...
    @property
    def format(self) -> int: ...


_Kind = TypeVar("_Kind", bound=Described)


def prepared_once(folder: Path, kind: type[_Kind], write: Callable[[Path, Path], _Kind]) -> _Kind:
    """What is in the folder already, or what `write` makes of a draft of it."""
    if (folder / _DESCRIPTION).is_file():
        return read_prepared(folder, kind)
    draft = new_draft(folder.parent)
    try:
        made = write(draft, folder)
        (draft / _DESCRIPTION).write_bytes(msgspec.json.encode(made))
        draft.rename(folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return made


def read_prepared(folder: Path, kind: type[_Kind]) -> _Kind:
    """What was prepared in a folder. One that was moved or copied is still the same."""
    path = folder / _DESCRIPTION
    try:
        found = msgspec.json.decode(path.read_bytes(), type=kind)
    except msgspec.DecodeError as error:
        raise SnapshotError(f"the prepared index is damaged: {error}", source=str(path)) from None
    if found.format != FORMAT:
        raise SnapshotError(
            wanted=f"a prepared index of format {FORMAT}", found=f"format {found.format}", source=str(path)
        )
    return msgspec.structs.replace(found, folder=str(folder))  # type: ignore[type-var]


def save_part(subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None, root: Path, name: str) -> None:
    """Save an index of some of the subscriptions under a name of its own."""
    matcher = Matcher(taxonomy)
    for subscription in subscriptions:
        matcher.add(subscription)
    save_index(matcher, name, root)
