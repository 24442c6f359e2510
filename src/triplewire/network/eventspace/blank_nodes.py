"""Blank nodes of quadruples that travel alone: qualified by the event's IRI, and as they were before once it is whole.

A label means something within its event only. In the space quadruples of many events lie side by side, so a label gets
a digest of the event's IRI in front, always of the same length: taken off again, the event is as it was
published.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TypeVar

from triplewire.rdf.terms import BlankNode, NamedNode, Term, Triple

_DIGITS = 32
PREFIX_LENGTH = _DIGITS + 1
_Term = TypeVar("_Term", bound=Term)


def prefix_of(event: str) -> str:
    """What labels of an event get in front."""
    return f"{hashlib.sha256(event.encode()).hexdigest()[:_DIGITS]}-"


def qualified(triple: Triple, event: NamedNode) -> Triple:
    """The triple with its blank nodes qualified.

    >>> node = qualified(Triple(BlankNode("b1"), NamedNode("urn:p"), BlankNode("b2")), NamedNode("urn:e")).subject
    >>> len(node.value), node.value[-3:]
    (35, '-b1')
    """
    return with_prefix(triple, prefix_of(event.value))


def with_prefix(triple: Triple, prefix: str) -> Triple:
    """The triple with a prefix in front of its labels."""
    return _relabelled(triple, lambda label: prefix + label)


def unqualified(triple: Triple) -> Triple:
    """The triple as it was before it was qualified."""
    return _relabelled(triple, lambda label: label[PREFIX_LENGTH:])


def _relabelled(triple: Triple, label: Callable[[str], str]) -> Triple:
    return Triple(_of_term(triple.subject, label), triple.predicate, _of_term(triple.object, label))


def _of_term(term: _Term, label: Callable[[str], str]) -> _Term | BlankNode | Triple:
    if isinstance(term, BlankNode):
        return BlankNode(label(term.value))
    return _relabelled(term, label) if isinstance(term, Triple) else term
