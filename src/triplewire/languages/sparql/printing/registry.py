"""How a node finds its printer: by its type.

Expressions hold groups and groups hold expressions, so neither module that prints them imports the other; each puts its
printers into this table, and `printer` imports both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Printer = Callable[[Any], str]

_PRINTERS: dict[type, Printer] = {}


def register(printers: Mapping[type, Printer]) -> None:
    _PRINTERS.update(printers)


def text_of(node: object) -> str:
    """The text of a node. What has no printer is a term or a variable, which prints itself."""
    found = _PRINTERS.get(type(node))
    return str(node) if found is None else found(node)
