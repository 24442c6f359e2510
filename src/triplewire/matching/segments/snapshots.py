"""Snapshots: a segment as a folder of flat arrays that every process maps and none copies.

    manifest.json     format, seed, shapes, a checksum for each array and one for itself
    <array>.npy       one file an array, in numpy's own format

The folder is written under another name and put in place as a whole, so that a reader sees all of it or nothing. What
is opened is mapped copy-on-write: a removal stays in the process that makes it.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from triplewire.errors import SnapshotError
from triplewire.matching.kernels import structures
from triplewire.matching.kernels.bytetable import ByteTable
from triplewire.matching.kernels.hashing import hash_span
from triplewire.matching.segments.records import SubscriptionRecords
from triplewire.matching.segments.segment import Owners, Segment
from triplewire.matching.segments.shapes import SolutionShape
from triplewire.system.durable_files import replace_folder, synced_file

FORMAT = 1
_MANIFEST = "manifest.json"
_CHECKSUM_SEED = 0

Array = NDArray[Any]


class Manifest(Struct, frozen=True):
    """What a snapshot says of itself; `checksums` are by array."""

    seed: int
    serial: int
    subscriptions: int
    taxonomy: str | None
    shapes: list[SolutionShape]
    checksums: dict[str, int]


class Sealed(Struct, frozen=True):
    """The manifest as it is written: under its format's number, and with a checksum over its own bytes."""

    format: int
    checksum: int
    manifest: msgspec.Raw


# The bundles of arrays that make a segment, by the name they have there.
_BUNDLES: dict[str, type] = {
    "records": SubscriptionRecords,
    "ids": ByteTable,
    "arrays": structures.SegmentArrays,
    "owners": Owners,
}


def write_snapshot(folder: Path, segment: Segment, serial: int, taxonomy: str | None) -> None:
    """Write a segment that has no removed subscriptions. A snapshot that is already there is replaced."""
    _require_replaceable(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        checksums = {name: _write_array(draft, name, array) for name, array in _arrays_of(segment).items()}
        manifest = Manifest(segment.seed, serial, segment.records.size, taxonomy, segment.shapes, checksums)
        body = msgspec.json.encode(manifest)
        with synced_file(draft / _MANIFEST) as file:
            file.write(msgspec.json.encode(Sealed(FORMAT, _sum(body), msgspec.Raw(body))))
        replace_folder(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def read_snapshot(folder: Path) -> tuple[Segment, Manifest]:
    """Map a snapshot, after its format, its arrays and their checksums have been found right."""
    manifest = _read_manifest(folder)
    arrays = {name: _open_array(folder, name, checksum) for name, checksum in manifest.checksums.items()}
    bundles = {name: _bundle(folder, kind, name, arrays) for name, kind in _BUNDLES.items()}
    count = bundles["records"].size
    if count != manifest.subscriptions:
        raise SnapshotError(wanted=f"{manifest.subscriptions} subscriptions", found=str(count), source=str(folder))
    general = _required(folder, arrays, "general")
    segment = Segment(
        shapes=manifest.shapes,
        general=general,
        removed=np.zeros(count, np.uint8),
        seed=manifest.seed,
        **bundles,
    )
    return segment, manifest


def _arrays_of(segment: Segment) -> dict[str, Array]:
    arrays = {"general": segment.general}
    for name in _BUNDLES:
        _flatten(name, getattr(segment, name), arrays)
    return arrays


def _flatten(name: str, bundle: Any, arrays: dict[str, Array]) -> None:
    for field, value in bundle._asdict().items():
        if isinstance(value, np.ndarray):
            arrays[f"{name}.{field}"] = value
        else:
            _flatten(f"{name}.{field}", value, arrays)


def _bundle(folder: Path, kind: type, name: str, arrays: dict[str, Array]) -> Any:
    """Put a bundle together from the arrays that carry its name."""
    fields = {}
    for field, hint in get_type_hints(kind).items():
        if isinstance(hint, type) and issubclass(hint, tuple):
            fields[field] = _bundle(folder, hint, f"{name}.{field}", arrays)
        else:
            fields[field] = _required(folder, arrays, f"{name}.{field}")
    return kind(**fields)


def _required(folder: Path, arrays: dict[str, Array], name: str) -> Array:
    if name not in arrays:
        raise SnapshotError(wanted=f"the array {name!r} in the manifest", found="none of that name", source=str(folder))
    return arrays[name]


def checksum(array: Array) -> int:
    """A 64-bit sum over an array's bytes, its type and its shape."""
    seed = _sum(f"{array.dtype.str}{array.shape}".encode())
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return int(hash_span(data, 0, data.size, seed))


def _sum(data: bytes) -> int:
    return int(hash_span(np.frombuffer(data, np.uint8), 0, len(data), _CHECKSUM_SEED))


def _write_array(folder: Path, name: str, array: Array) -> int:
    with synced_file(folder / f"{name}.npy") as file:
        np.save(file, array, allow_pickle=False)
    return checksum(array)


def _open_array(folder: Path, name: str, expected: int) -> Array:
    path = folder / f"{Path(name).name}.npy"
    try:
        array = _mapped(path)
    except FileNotFoundError:
        raise SnapshotError(wanted="an array of the snapshot", found="no such file", source=str(path)) from None
    except (OSError, ValueError, OverflowError) as error:
        raise SnapshotError(f"the snapshot is damaged: {error}", source=str(path)) from error
    _require_sum(path, expected, checksum(array))
    return array


def _mapped(path: Path) -> Array:
    # Copy-on-write maps are writable, so that kernels need not be compiled a second time for arrays that are not.
    return np.asarray(np.lib.format.open_memmap(path, mode="c"))


def _read_manifest(folder: Path) -> Manifest:
    path = folder / _MANIFEST
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        raise SnapshotError(
            wanted="the folder of a snapshot", found=f"no {_MANIFEST} in it", source=str(folder)
        ) from None
    try:
        version = msgspec.json.decode(data, type=dict[str, Any]).get("format")
        if version != FORMAT:
            raise SnapshotError(wanted=f"a snapshot of format {FORMAT}", found=f"format {version}", source=str(path))
        sealed = msgspec.json.decode(data, type=Sealed)
        _require_sum(path, sealed.checksum, _sum(bytes(sealed.manifest)))
        return msgspec.json.decode(sealed.manifest, type=Manifest)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise SnapshotError(f"the snapshot is damaged: {error}", source=str(path)) from error


def _require_sum(path: Path, wanted: int, found: int) -> None:
    if found != wanted:
        raise SnapshotError(
            "the snapshot is damaged", wanted=f"the checksum {wanted}", found=str(found), source=str(path)
        )


def _require_replaceable(folder: Path) -> None:
    """Never write over something that is not a snapshot."""
    if folder.exists() and not (folder / _MANIFEST).is_file() and (not folder.is_dir() or any(folder.iterdir())):
        raise SnapshotError(
            wanted="a new folder, an empty one or a snapshot to replace", found="something else", source=str(folder)
        )
