"""An index of the past, in whatever form it was prepared, by the version that a run has recorded."""

from __future__ import annotations

import re
from pathlib import Path

from triplewire.pipeline.index import IndexRef, index_at
from triplewire.pipeline.strategies.matched import Prepared
from triplewire.pipeline.strategies.prepared import Chains, Parts, stored

_PREPARED = re.compile(r"^(?P<version>[0-9a-f]+)(?:-(?P<strategy>osma|csma)(?:-\d+)?)?$")


def versions_in(root: Path) -> list[str]:
    """Every version under a root."""
    named = (_PREPARED.match(path.name) for path in root.glob("*"))
    return sorted({found["version"] for found in named if found})


def prepared_at(root: Path, version: str) -> Prepared | None:
    """The index of a version: the whole one if it is there, else what osma or csma had."""
    found = {match["strategy"]: path for path in sorted(root.glob(f"{version}*")) if (match := _of(path, version))}
    if None in found:
        return index_at(found[None])
    if "osma" in found:
        return stored(found["osma"], Parts)
    return stored(found["csma"], Chains) if "csma" in found else None


def described(prepared: Prepared) -> IndexRef:
    """What an index is called in `runs`. Its parts know the taxonomy."""
    if isinstance(prepared, IndexRef):
        return prepared
    part = prepared.indexes[0] if isinstance(prepared, Parts) else prepared.opened
    return IndexRef(prepared.folder, prepared.version, prepared.subscriptions, part.taxonomy_version)


def _of(path: Path, version: str) -> re.Match[str] | None:
    found = _PREPARED.match(path.name)
    return found if found is not None and found["version"] == version else None
