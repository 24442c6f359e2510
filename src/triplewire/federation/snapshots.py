"""Snapshots: the state of a machine as bytes, and back.

It is a pickle, so that whatever the parts of a machine keep is in it, behind a format number and a checksum. Nothing
else than values can come out of one: it names classes of a few modules, and no code. What a machine is handed as a
function it has to be handed again.

The number moves when a version can no longer read what the one before it has written. One that an earlier version wrote
is kept with the tests, and says when that is.
"""

from __future__ import annotations

import io
import pickle
import zlib
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from hashlib import sha256
from random import Random
from types import MethodType
from typing import Any

import msgspec
from msgspec import Struct

from triplewire.errors import SnapshotError
from triplewire.federation.delivery import Delivery
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.local_index import Nodes
from triplewire.federation.overlay import RecordedNetwork
from triplewire.federation.super_peer import RuleSuperPeer
from triplewire.rdf.terms import BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple
from triplewire.rules.execution.triggering.reachability import ReachIndex
from triplewire.rules.execution.units import Commutes
from triplewire.rules.precedence import Precedence
from triplewire.rules.schema import Schema

FORMAT = 2

_MARK = b"tw:federation:"
_NUMBER_BYTES = 2
_CHECKSUM_BYTES = 32
_COMMUTES = "commutes"
# More would make it slower than the disk.
_COMPRESSION = 1


class MachineState(Struct, frozen=True):
    """The parts of a machine."""

    network: RecordedNetwork
    delivery: Delivery
    rules: RuleSuperPeer


def written(state: MachineState, commutes: Commutes) -> bytes:
    """A state as bytes. `commutes` is left out, wherever it is."""
    file = io.BytesIO()
    _Pickler(file, commutes).dump(state)
    body = zlib.compress(file.getbuffer(), _COMPRESSION)
    return _MARK + FORMAT.to_bytes(_NUMBER_BYTES, "big") + sha256(body).digest() + body


def read(data: bytes, commutes: Commutes) -> MachineState:
    """The state that was written. Raises `SnapshotError`."""
    body = _body(data)
    try:
        return msgspec.convert(_Unpickler(io.BytesIO(zlib.decompress(body)), commutes).load(), MachineState)
    except SnapshotError:
        raise
    except Exception as error:
        # The checksum is right, so it is what somebody has written; the classes in it are not the same any more.
        wanted = f"a snapshot that this version can read, of format {FORMAT}"
        raise SnapshotError(wanted=wanted, found=f"another one: {error}") from error


def _body(data: bytes) -> memoryview:
    """What is behind the header."""
    if not data.startswith(_MARK):
        raise SnapshotError(wanted="a snapshot of a federation", found="something else")
    rest = memoryview(data)[len(_MARK) :]
    number = int.from_bytes(rest[:_NUMBER_BYTES], "big")
    if number != FORMAT:
        raise SnapshotError(wanted=f"a snapshot of format {FORMAT}", found=f"format {number}")
    checksum = rest[_NUMBER_BYTES : _NUMBER_BYTES + _CHECKSUM_BYTES]
    body = rest[_NUMBER_BYTES + _CHECKSUM_BYTES :]
    if sha256(body).digest() != checksum:
        raise SnapshotError(wanted="the snapshot as it was written", found="other bytes: its checksum is wrong")
    return body


# Which values there are


def _schema(schema: Schema) -> tuple[Any, ...]:
    """What it says; what follows from that is found again."""
    return Schema, (tuple(schema.triples),)


def _view(view: PeerView) -> tuple[Any, ...]:
    """Of a large repository it is the largest part of all: the names of resources, and few different sets of places."""
    places: dict[NamedNode, int] = {}
    found: dict[str, tuple[int, ...]] = {}
    for node, resource in view.references:
        place = places.setdefault(node, len(places))
        found[resource.value] = (*found.get(resource.value, ()), place)
    same: dict[tuple[int, ...], tuple[int, ...]] = {}
    found = {resource: same.setdefault(some, some) for resource, some in found.items()}
    return view_of, (view.declared, view.nodes, tuple(places), found)


def view_of(declared: Schema, nodes: Nodes, named: Sequence[NamedNode], found: Mapping[str, Iterable[int]]) -> PeerView:
    """A view out of its parts."""
    resources = ((NamedNode(resource), places) for resource, places in found.items())
    return PeerView(declared, nodes, ((named[place], resource) for resource, places in resources for place in places))


def _iri(node: NamedNode) -> tuple[Any, ...]:
    """The same that a term says of itself, only faster."""
    return NamedNode, (node.value,)


def _method(method: MethodType) -> tuple[Any, ...]:
    return follow_index_of, (method.__self__,)


def follow_index_of(rules: RuleSuperPeer) -> object:
    """The one method that is part of a state."""
    return rules._follow_index


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, commutes: Commutes) -> None:
        super().__init__(file, protocol=5)
        self.dispatch_table = {Schema: _schema, PeerView: _view, NamedNode: _iri, MethodType: _method}
        self._commutes = commutes

    def persistent_id(self, value: object) -> str | None:
        return _COMMUTES if value is self._commutes else None


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, commutes: Commutes) -> None:
        super().__init__(file)
        self._commutes = commutes

    def persistent_load(self, name: str) -> Commutes:
        if name != _COMMUTES:
            raise SnapshotError(wanted=f"a snapshot that is handed {_COMMUTES}", found=name)
        return self._commutes

    def find_class(self, module: str, name: str) -> Any:
        found = _KNOWN.get((module, name))
        if found is None and "." not in name and module.startswith(_OURS):
            found = super().find_class(module, name)
            if not _is_value(found):
                found = None
        if found is None:
            raise SnapshotError(wanted="a snapshot with values only", found=f"{module}.{name}")
        return found


_OURS = (
    "triplewire.federation.",
    "triplewire.rules.",
    "triplewire.languages.rdftl.syntax",
    "triplewire.wire.network_rules",
)
_TERMS = (
    NamedNode,
    BlankNode,
    Literal,
    Triple,
    Quad,
    DefaultGraph,
)
_KNOWN: dict[tuple[str, str], Any] = {
    (found.__module__, found.__qualname__): found
    for found in (*_TERMS, deque, Random, Schema, Precedence, ReachIndex, view_of, follow_index_of)
}
# As msgspec writes Structs whose fields are given by name.
_KNOWN["msgspec._utils", "rebuild"] = lambda struct, fields: struct(**fields)


def _is_value(found: object) -> bool:
    """Whether it is a class of values, or a part of a machine."""
    if not isinstance(found, type):
        return False
    return issubclass(found, Struct | Enum) or found.__module__.startswith("triplewire.federation.")
