"""Pages of public names, from signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
import textwrap
from collections.abc import Iterator
from types import ModuleType
from typing import Any

# What people import, and why they would.
MODULES = {
    "triplewire": "the library: events, subscriptions, matching, what follows from what",
    "triplewire.rdf": "terms, events, formats and limits",
    "triplewire.matching": "the matcher, its answers and explanations",
    "triplewire.client": "talk to a node",
    "triplewire.pipeline": "the matcher in Spark",
    "triplewire.testing": "doubles to test against",
    "triplewire.errors": "every error, and what it carries",
}


def pages() -> dict[str, str]:
    """A page for each public module, by file name, and one that lists them."""
    found = {f"{name}.md": _page(importlib.import_module(name)) for name in MODULES}
    lines = ["# Python API", "", "Made from signatures and docstrings.", ""]
    lines += [f"- [`{name}`]({name}.md): {purpose}" for name, purpose in MODULES.items()]
    return {"index.md": "\n".join([*lines, ""]), **found}


def public_names(module: ModuleType) -> list[str]:
    """What a module says is public; of one that says nothing, the classes that it defines."""
    names = getattr(module, "__all__", None)
    if names is None:
        names = [name for name, value in vars(module).items() if _is_own_class(module, name, value)]
    return sorted(name for name in names if not name.startswith("__"))


def _is_own_class(module: ModuleType, name: str, value: object) -> bool:
    return inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")


def _page(module: ModuleType) -> str:
    lines = [f"# `{module.__name__}`", "", *_prose(inspect.getdoc(module)), ""]
    for name in public_names(module):
        lines += _member(name, getattr(module, name))
    return "\n".join(lines)


def _member(name: str, value: Any) -> Iterator[str]:
    yield from (f"## `{name}`", "")
    if inspect.isclass(value):
        yield from _class(name, value)
    elif inspect.ismodule(value):
        yield from (*_prose(inspect.getdoc(value)), "")
    elif callable(value) and hasattr(value, "__name__"):
        yield from (*_signature(name, value), *_prose(inspect.getdoc(value)), "")
    else:
        yield from ("```python", f"{name} = {value!r}", "```", "")


def _class(name: str, value: type) -> Iterator[str]:
    if issubclass(value, BaseException):
        bases = ", ".join(base.__name__ for base in value.__bases__)
        yield from ("```python", f"class {name}({bases})", "```", "")
    else:
        yield from _signature(name, value)
    # That of a base says nothing of this class.
    yield from (*_prose(value.__dict__.get("__doc__") and inspect.getdoc(value)), "")
    for member, raw in vars(value).items():
        if member.startswith("_") or not _is_documented(raw):
            continue
        found = getattr(value, member)
        yield from (f"### `{name}.{member}`", "")
        if callable(found):
            yield from _signature(member, found)
        yield from (*_prose(inspect.getdoc(raw.fget if isinstance(raw, property) else found)), "")


def _is_documented(raw: Any) -> bool:
    inner = raw.fget if isinstance(raw, property) else getattr(raw, "__func__", raw)
    return inspect.isfunction(inner) and bool(inner.__doc__)


def _signature(name: str, value: Any) -> Iterator[str]:
    try:
        signature = str(inspect.signature(value))
    except ValueError:
        # What is not written in Python may have none.
        return
    text = f"{name}{_without_addresses(signature)}"
    if len(text) > 100:
        text = text.replace(", ", ",\n    ").replace("(", "(\n    ", 1)
    yield from ("```python", text, "```", "")


def _without_addresses(signature: str) -> str:
    """Defaults that have no text of their own would show where they are in memory."""
    return re.sub(r"<(?:[^<>]|<\w+>)* at 0x[0-9a-f]+>", "...", signature).replace("'", "")


def _prose(docstring: str | None) -> Iterator[str]:
    """A docstring as Markdown: doctests, maps and other indented text become blocks of code."""
    for paragraph in re.split(r"\n\s*\n", docstring or ""):
        lines = paragraph.splitlines()
        if lines and (lines[0].startswith(">>>") or all(line.startswith(("    ", "  ")) for line in lines)):
            language = "pycon" if lines[0].startswith(">>>") else "text"
            yield from (f"```{language}", textwrap.dedent(paragraph), "```", "")
        elif _is_map(lines):
            yield from ("```text", *lines, "```", "")
        else:
            yield from (*lines, "")


def _is_map(lines: list[str]) -> bool:
    return len(lines) > 1 and all(re.match(r"\S+ {2,}\S", line) or line.startswith("    ") for line in lines)
