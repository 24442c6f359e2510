"""Regular expressions that every Python from 3.11.0 on reads alike: possessive ones are misread before 3.11.5."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
MODULES = [path for folder in ("src", "benchmarks", "examples") for path in (ROOT / folder).rglob("*.py")]

_ESCAPE_OR_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.", re.DOTALL)
_POSSESSIVE = re.compile(r"(?:[*+?]|\{\d*,?\d+,?\})\+|\(\?>")


def is_possessive(expression: str) -> bool:
    """Whether there is a possessive quantifier or an atomic group, outside of escapes and character classes."""
    return _POSSESSIVE.search(_ESCAPE_OR_CLASS.sub("x", expression)) is not None


def strings_in(tree: ast.AST) -> Iterator[str]:
    """Every literal that is used for something; what an f-string puts in counts as one character."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(p.value) if isinstance(p, ast.Constant) else "x" for p in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            yield node.value if isinstance(node.value, str) else node.value.decode("latin-1")
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            yield from strings_in(node)


@pytest.mark.parametrize(
    ("expression", "possessive"),
    [
        ("a*+", True),
        ("(?>a)", True),
        ("a{2,3}+", True),
        ("a?+b", True),
        (r"a\++", False),
        ("[*+]+", False),
        ("a+", False),
    ],
)
def test_what_counts_as_possessive(expression: str, possessive: bool):
    assert is_possessive(expression) is possessive


def test_no_expression_is_possessive():
    using = (path for path in MODULES if "import re\n" in path.read_text("utf-8"))
    texts = ((path, text) for path in using for text in strings_in(ast.parse(path.read_text("utf-8"))))
    assert [(path.relative_to(ROOT), text) for path, text in texts if is_possessive(text)] == []
