"""Trees of frozen Structs and tuples, whatever the language: visit all of one, look one level down, or rebuild it.

A variable is a leaf. Nodes of the kinds that are `closed` are visited, but not looked into.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from msgspec import Struct

from triplewire.algebra.patterns import Variable

Node = TypeVar("Node")
Kinds = tuple[type, ...]


def walk(node: object, closed: Kinds = ()) -> Iterator[object]:
    """The node and everything below it, terms and variables included, each before its parts, in the order of the text.

    >>> list(walk((Variable("a"), (1, Variable("b")))))
    [Variable(name='a'), 1, Variable(name='b')]
    """
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, tuple):
            waiting.extend(reversed(current))
            continue
        yield current
        if isinstance(current, Struct) and type(current) is not Variable and not isinstance(current, closed):
            waiting.extend(getattr(current, field) for field in reversed(current.__struct_fields__))


def parts_of(node: object) -> Iterator[object]:
    """What stands right below a node."""
    if isinstance(node, Struct) and type(node) is not Variable:
        for field in node.__struct_fields__:
            value = getattr(node, field)
            yield from value if isinstance(value, tuple) else (value,)


def is_higher_than(tree: object, allowed: int) -> bool:
    """Whether some node stands more than `allowed` levels deep.

    Measured level by level, so that a high tree cannot overflow the stack that measures it.
    """
    level = [tree]
    for _ in range(allowed):
        level = [part for node in level for part in parts_of(node)]
        if not level:
            return False
    return True


def transform(node: Node, rewrite: Callable[[Any], Any], closed: Kinds = ()) -> Node:
    """Rebuild a tree from its leaves up: `rewrite` gets each node whose parts are rewritten already.

    What `rewrite` does not care about it returns as it is. Terms, variables, enums and numbers count as nodes.

    >>> transform((1, (2, Variable("a"))), lambda node: "b" if node == Variable("a") else node)
    (1, (2, 'b'))
    """
    if isinstance(node, tuple):
        return tuple([transform(part, rewrite, closed) for part in node])  # type: ignore[return-value]
    if not isinstance(node, Struct) or type(node) is Variable or isinstance(node, closed):
        return rewrite(node)  # type: ignore[no-any-return]
    before = [getattr(node, field) for field in node.__struct_fields__]
    after = [transform(part, rewrite, closed) for part in before]
    same = all(old is new for old, new in zip(before, after, strict=True))
    return rewrite(node if same else type(node)(*after))  # type: ignore[no-any-return]
