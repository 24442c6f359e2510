"""A page for each example, with its source; a test runs each."""

from __future__ import annotations

import ast
from pathlib import Path

from msgspec import Struct


class Example(Struct, frozen=True):
    """A program below `examples/`, how it is started, and which test runs it."""

    path: str
    title: str
    command: str
    test: str


EXAMPLES = (
    Example("papers.py", "The papers' own examples", "make demo-papers", "tests/test_examples.py"),
    Example("views.py", "Views that are told of changes", "make demo-views", "tests/test_examples.py"),
    Example("selene.py", "Rules that tell users of new learning objects", "make demo-rules", "tests/test_examples.py"),
    Example("pipeline.py", "A library's feed through Spark", "make demo", ".ci/run"),
)


def pages(folder: Path) -> dict[str, str]:
    """A page for each program of the folder `examples`, by file name, and one that lists them."""
    lines = ["# Examples", "", "Each runs as it is in a clone, and is run by a test or by CI.", ""]
    lines += [f"- [{each.title}]({_name(each)}): `{each.command}`" for each in EXAMPLES]
    lines += ["- [First steps](../tutorial/first-steps.md): a notebook", ""]
    return {"index.md": "\n".join(lines), **{_name(each): _page(folder, each) for each in EXAMPLES}}


def _name(example: Example) -> str:
    return f"{Path(example.path).stem}.md"


def _page(folder: Path, example: Example) -> str:
    source = (folder / example.path).read_text("utf-8")
    said = ast.get_docstring(ast.parse(source)) or ""
    return "\n".join(
        [
            f"# {example.title}",
            "",
            said,
            "",
            f"`{example.command}` runs it in a clone; so does `{example.test}`.",
            "",
            f'```python title="examples/{example.path}"',
            source.rstrip(),
            "```",
            "",
        ]
    )
