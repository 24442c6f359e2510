"""The parts of a rule, at any depth, and whether `$delta` is among them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Component, Delta
from triplewire.languages.trees import walk


def parts(part: object) -> Iterator[Struct]:
    """The part itself and every value in it."""
    return (value for value in walk(part) if isinstance(value, Struct))


def uses_delta(part: object) -> bool:
    """Whether `$delta` stands anywhere in it."""
    return any(isinstance(value, Delta) for value in parts(part))


def uses_component(part: object, component: Component) -> bool:
    """Whether one component of `$delta` stands anywhere in it."""
    return any(isinstance(value, Delta) and value.component is component for value in parts(part))
