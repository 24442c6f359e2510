"""The schema of all, as far as one super-peer knows it: what the groups of the network declare, merged.

Each super-peer broadcasts what its own peers declare when that changes, and repeats what it knows of others in
exchanges, as it does with offers. So the whole grows and shrinks, and nobody knows it for certain. Own peers come
first: whatever others say, a super-peer has the names of its own group. What does not fit is left out with the reason.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from triplewire.errors import InputError, MessageRefused, UnknownName, UpdateRefused
from triplewire.federation.indexes.merging import EMPTY, Merged, merged
from triplewire.federation.sites.terms import text_of
from triplewire.languages.rdftl.syntax import Rule, Update
from triplewire.rdf.limits import MIB
from triplewire.rules.name_resolution import resolved, resolved_update
from triplewire.rules.schema import Schema

MOST_CHARACTERS = MIB
"""How long what one group declares may be, as N-Triples."""


class GroupSchema(Struct, frozen=True, tag="schema", array_like=True):
    """What the peers of a super-peer declare together, as N-Triples."""

    super_peer: str
    version: int
    text: str = ""


class WholeSchema:
    """What one super-peer knows. `common` is what everybody knows from the beginning, if there is such a thing.

    `current` is the whole as it is now, `left_out` the reason for each own peer or other super-peer whose schema is not
    in it.
    """

    def __init__(self, me: str, common: Schema = EMPTY) -> None:
        self.current = common
        self.left_out: dict[str, str] = {}
        self._me = me
        self._common = common
        self._declared: dict[str, GroupSchema] = {me: GroupSchema(me, 0)}
        self._schemas: dict[str, Schema] = {me: EMPTY}
        self._unusable: dict[str, str] = {}
        self._own: Merged = Merged(EMPTY)
        self._members: tuple[str, ...] | None = None

    # What is declared

    def declare(self, own: Merged) -> GroupSchema | None:
        """What our own peers declare now; None: others need not hear of it."""
        if own == self._own:
            return None
        self._own = own
        self._schemas[self._me] = own.schema
        known, text = self._declared[self._me], self._text()
        self._merge()
        if text == known.text:
            return None
        self._declared[self._me] = GroupSchema(self._me, known.version + 1, text)
        return self._declared[self._me]

    def include(self, said: GroupSchema) -> None:
        """What another group declares, unless that is old. One that cannot be read is left out until the next one."""
        known = self._declared.get(said.super_peer)
        if said.super_peer == self._me or (known is not None and known.version >= said.version):
            return
        self._declared[said.super_peer] = said
        self._unusable.pop(said.super_peer, None)
        try:
            self._schemas[said.super_peer] = _read(said.text)
        except MessageRefused as error:
            self._schemas[said.super_peer] = EMPTY
            self._unusable[said.super_peer] = error.message
        self._merge()

    def follows(self, members: Iterable[str]) -> bool:
        """Whether it is known already that these are in the network."""
        return self._members == tuple(sorted(members))

    def follow(self, members: Iterable[str]) -> None:
        """Who is in the network now: what those declared who have left is not in the whole any more."""
        if not self.follows(members):
            self._members = tuple(sorted(members))
            self._merge()

    # What is known

    @property
    def versions(self) -> dict[str, int]:
        return {name: said.version for name, said in sorted(self._declared.items())}

    def newer_than(self, versions: dict[str, int]) -> list[GroupSchema]:
        """What somebody lacks who knows these versions."""
        return [said for name, said in self._declared.items() if versions.get(name, -1) < said.version]

    def of(self, super_peer: str) -> Schema:
        """What a group declares; of one that has not said anything, it may be anything of the whole."""
        schema = self._schemas.get(super_peer, EMPTY)
        return self.current if schema.is_empty else schema

    def resolved(self, rule: Rule) -> Rule:
        """A rule with its names as they are in the whole now. Raises `UnknownName`."""
        if self.current.is_empty:
            raise UpdateRefused(wanted="a schema that some peer of the network declares", found="none")
        return resolved(rule, self.current)

    def resolved_update(self, update: Update, declared: Schema) -> Update:
        """An update with its names as the peer declares them that executes it, or else as the whole has them."""
        try:
            return resolved_update(update, declared)
        except UnknownName:
            return resolved_update(update, self.current)

    # Private

    def _text(self) -> str:
        text = text_of(self._own.schema.triples)
        self._unusable.pop(self._me, None)
        if len(text) > MOST_CHARACTERS:
            self._unusable[self._me] = f"others do not hear of it: it has more than {MOST_CHARACTERS:,} characters"
            return ""
        return text

    def _merge(self) -> None:
        there = self._schemas.keys() if self._members is None else self._members
        others = [(name, self._schemas[name]) for name in sorted(self._schemas) if name in there and name != self._me]
        found = merged([(self._me, self._own.schema), *others], self._common)
        if found.schema != self.current:
            self.current = found.schema
        unusable = {name: why for name, why in self._unusable.items() if name in there or name == self._me}
        self.left_out = {**self._own.left_out, **found.left_out, **unusable}


def _read(text: str) -> Schema:
    if len(text) > MOST_CHARACTERS:
        raise MessageRefused("schema", wanted=f"at most {MOST_CHARACTERS:,} characters", found=f"{len(text):,}")
    try:
        return Schema.parse(text.encode(), "ntriples")
    except InputError as error:
        raise MessageRefused("schema", wanted="a schema", found=error.message) from None
