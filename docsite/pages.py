"""What the site is built from: the folder `docs` as it is, and pages that are made."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from docsite import command_line, gallery, http_api, metrics, notebook, python_api, settings

HOME = "https://github.com/triplewire/triplewire/blob/main"
_UPWARDS = re.compile(r"\]\((\.\./[^)#]+)")

Made = Mapping[str, str]


def makers(root: Path) -> dict[str, Callable[[], Made]]:
    """Each kind of made pages, by what is said while it is made."""
    return {
        "commands": lambda: {"reference/commands.md": command_line.page()},
        "settings": lambda: {"reference/settings.md": settings.page()},
        "the Python API": lambda: _below("reference/python", python_api.pages()),
        "the HTTP API": lambda: {"reference/http.md": http_api.page(http_api.document())},
        "metrics, from three nodes": lambda: {"reference/metrics.md": metrics.page()},
        "examples": lambda: _below("examples", gallery.pages(root / "examples")),
        "the notebook, executed": lambda: {
            "tutorial/first-steps.md": notebook.page(notebook.executed(root / "examples" / "first-steps.ipynb"))
        },
        "the changelog": lambda: {"changelog.md": (root / "CHANGELOG.md").read_text("utf-8").replace("](docs/", "](")},
    }


def copy(docs: Path, target: Path) -> None:
    """The pages that people wrote. What leads out of them leads to the sources."""
    shutil.copytree(docs, target)
    for page in target.rglob("*.md"):
        depth = len(page.relative_to(target).parts) - 1
        page.write_text(_within_the_site(page.read_text("utf-8"), depth), "utf-8")


def _within_the_site(text: str, depth: int) -> str:
    return _UPWARDS.sub(lambda found: f"]({_address(found[1], depth)}", text)


def _address(link: str, depth: int) -> str:
    """Where a link leads from a page so many folders deep: one that leaves the documentation leads to the sources.

    >>> _address("../cli.md", 1), _address("../../README.md", 1)
    ('../cli.md', 'https://github.com/triplewire/triplewire/blob/main/README.md')
    """
    inner = link.removeprefix("../" * (depth + 1))
    return link if inner == link else f"{HOME}/{inner}"


def write(made: Made, target: Path) -> Iterator[Path]:
    """Put made pages where they belong. Nothing that a person wrote is replaced."""
    for name, text in made.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            file.write(text)
        yield path


def _below(folder: str, made: Made) -> Made:
    return {f"{folder}/{name}": text for name, text in made.items()}
