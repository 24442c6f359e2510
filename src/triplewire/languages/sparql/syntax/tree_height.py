"""How high a tree is, measured level by level, so that a high tree cannot overflow the stack that measures it."""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.patterns import Variable


def is_higher_than(tree: object, allowed: int) -> bool:
    """Whether some node stands more than `allowed` levels deep."""
    level = [tree]
    for _ in range(allowed):
        level = [part for node in level for part in _parts(node)]
        if not level:
            return False
    return True


def _parts(node: object) -> list[object]:
    if not isinstance(node, Struct) or type(node) is Variable:
        return []
    parts: list[object] = []
    for field in node.__struct_fields__:
        value = getattr(node, field)
        if isinstance(value, tuple):
            parts.extend(value)
        else:
            parts.append(value)
    return parts
