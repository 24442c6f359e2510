"""Why: what a solution stands on, as a node and the command line say it in JSON.

    {"quads": [
        {"quad": "<urn:b> <…#type> <urn:Book>", "kind": "asserted",
         "origin": {"change": 7, "firings": [{"rule": "shelve", …}], "transaction": "update", "author": "alice", …}},
        {"quad": "<urn:b> <…#type> <urn:Work>", "kind": "inferred",
         "axioms": ["<urn:Book> <…#subClassOf> <urn:Work>"], "premises": ["<urn:b> <…#type> <urn:Book>"]}]}

Quads, axioms and premises are lines of N-Quads without their dot. Every premise is among the quads, too.
"""

from __future__ import annotations

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType


class Firing(Struct, frozen=True):
    """The firing of a rule: in which transaction, and how many firings are between it and what began that, plus one."""

    rule: str
    transaction: str
    depth: int


class Origin(Struct, frozen=True, omit_defaults=True):
    """How a quad came to be asserted in the living graph: by which change, None where that was not kept.

    `firings` leads back from the rule that inserted it: the cause of each is the next one, that of the last the update
    that began it all. There are none where the update itself inserted it. `transaction` is that update's name, `author`
    whose it was, `time` when, in Unix seconds. `lost` says what is not kept any more.
    """

    change: int | None = None
    firings: tuple[Firing, ...] = ()
    transaction: str | None = None
    author: str | None = None
    time: float | None = None
    lost: str | None = None


class QuadReason(Struct, frozen=True, omit_defaults=True):
    """A quad that a solution stands on: asserted, or inferred by axioms of the taxonomy or schema from its premises.

    An `origin` have asserted quads of the living graph.
    """

    quad: str
    kind: Literal["asserted", "inferred"]
    axioms: tuple[str, ...] = ()
    premises: tuple[str, ...] = ()
    origin: Origin | None = None


class Reason(Struct, frozen=True, omit_defaults=True):
    """What one solution, or one triple of an answer, stands on, or has stood on where it was removed.

    `truncated` if the search for it was ended: then quads may be missing, or be more than are needed. `change` is as of
    which change it is, if that is an earlier one than its notification is about.
    """

    quads: tuple[QuadReason, ...] = ()
    truncated: bool = False
    change: int | None = None


class AnswerReasons(Struct, frozen=True, omit_defaults=True):
    """A reason for each item of what a view says: of its whole answer, or of what a change added and removed."""

    answer: tuple[Reason, ...] | None = None
    added: tuple[Reason, ...] | None = None
    removed: tuple[Reason, ...] | None = None


class ExplainedAnswer(Struct, frozen=True):
    """An answer over the living graph as of a change, with a reason for each item: what a view would say first.

    Solutions are SPARQL's JSON bindings, triples lines of N-Triples; of an ASK it is true or false. `nearest` says what
    comes closest where there is no answer.
    """

    change: int
    variables: tuple[str, ...]
    answer: bool | list[Any]
    why: AnswerReasons
    nearest: str | UnsetType = UNSET


UNKNOWN = Reason(truncated=True)


def asserted(quad: object, origin: Origin | None = None) -> QuadReason:
    """A quad that is there by itself."""
    return QuadReason(str(quad), "asserted", origin=origin)


def inferred(quad: object, axioms: tuple[object, ...], premises: tuple[object, ...]) -> QuadReason:
    """A quad that follows."""
    return QuadReason(str(quad), "inferred", tuple(map(str, axioms)), tuple(map(str, premises)))
