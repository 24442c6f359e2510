"""The parts of a rule, at any depth, and whether `$delta` is among them."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.languages.rdftl.syntax import Component, Delta


def parts(part: object) -> Iterator[Struct]:
    """The part itself and every value in it."""
    waiting = [part]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend(value)
        elif isinstance(value, Struct):
            yield value
            waiting.extend(getattr(value, name) for name in value.__struct_fields__)


def uses_delta(part: object) -> bool:
    """Whether `$delta` stands anywhere in it."""
    return any(isinstance(value, Delta) for value in parts(part))


def uses_component(part: object, component: Component) -> bool:
    """Whether one component of `$delta` stands anywhere in it."""
    return any(isinstance(value, Delta) and value.component is component for value in parts(part))
