"""Maps that cannot lie: docstrings of packages, layers, commands and routes, held to what is there."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from fastapi.routing import APIRoute, APIWebSocketRoute

from triplewire.cli.app import app
from triplewire.node.http import app as http

ROOT = Path(__file__).parents[1]
SOURCES = ROOT / "src" / "triplewire"
PACKAGES = sorted(init.parent for init in SOURCES.rglob("__init__.py"))
# A line of a map: one module or several, two spaces or more, and what is in it.
LINE = re.compile(r"^ *((?:\w+, )*\w+) {2,}\S")
MOST_MODULES = 15


def name_of(package: Path) -> str:
    return package.relative_to(SOURCES.parent).as_posix()


def members(package: Path) -> set[str]:
    modules = {path.stem for path in package.glob("*.py") if not path.stem.startswith("_")}
    return modules | {path.parent.name for path in package.glob("*/__init__.py")}


def named(package: Path) -> set[str]:
    docstring = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    lines = (LINE.match(line) for line in docstring.splitlines() if not line.startswith((">>>", "...")))
    return {name for line in lines if line for name in line[1].split(", ")}


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_the_docstring_of_a_package_names_what_is_in_it(package: Path):
    assert named(package) == members(package)


@pytest.mark.parametrize("package", PACKAGES, ids=name_of)
def test_a_package_is_a_room_of_few_modules(package: Path):
    assert len([path for path in package.glob("*.py") if path.stem != "__init__"]) <= MOST_MODULES


def layers() -> list[str]:
    """From top to bottom, as import-linter enforces them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    return [layer for layer in contracts["contracts"][0]["layers"] if layer != "__main__"]


@pytest.mark.parametrize("page", ["CONTRIBUTING.md", "docs/architecture.md"])
def test_the_layers_that_are_drawn_are_those_that_are_enforced(page: str):
    drawn = re.search(r"^    cli\n(?: +└─ .*\n)+", (ROOT / page).read_text(encoding="utf-8"), re.MULTILINE)
    assert drawn
    assert [line.replace("└─", "").strip() for line in drawn[0].splitlines()] == layers()


def commands(group: typer.main.TyperGroup, before: str = "triplewire") -> Iterator[str]:
    for name, command in sorted(group.commands.items()):
        inner = getattr(command, "commands", None)
        if inner is None:
            yield f"{before} {name}"
        else:
            yield from commands(command, f"{before} {name}")


COMMANDS = [*commands(typer.main.get_command(app))]
ROUTES = sorted(
    {
        (method, route.path)
        for router in http.ROUTERS
        for route in router.routes
        if isinstance(route, APIRoute | APIWebSocketRoute)
        for method in (route.methods if isinstance(route, APIRoute) else {"GET"})
    }
)


def test_there_are_commands_and_routes_to_look_for():
    assert "triplewire rules check" in COMMANDS
    assert ("POST", "/events") in ROUTES


@pytest.mark.parametrize("command", COMMANDS)
def test_the_page_of_the_command_line_has_every_command(command: str):
    page = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert re.search(rf"^    {re.escape(command)}\b", page, re.MULTILINE)


def documented_routes() -> set[tuple[str, str]]:
    """From the first column of the table: `PUT GET /rules/{id}?after=`, several with dots between them."""
    page = (ROOT / "docs" / "node.md").read_text(encoding="utf-8")
    spans = [
        span for row in re.findall(r"^\| (`.*?`) \|", page, re.MULTILINE) for span in re.findall(r"`([^`]+)`", row)
    ]
    found = (re.fullmatch(r"((?:[A-Z]+ )+)(/[^?]*)(?:\?.*)?", span) for span in spans)
    return {(method, shape(span[2])) for span in found if span for method in span[1].split()}


def shape(path: str) -> str:
    """A path without the names of its parameters."""
    return re.sub(r"\{[^}]*\}", "{}", path)


@pytest.mark.parametrize(("method", "path"), ROUTES)
def test_the_page_of_the_node_has_every_route(method: str, path: str):
    assert (method, shape(path)) in documented_routes()


def test_the_page_of_the_node_has_no_route_that_is_not_there():
    assert documented_routes() <= {(method, shape(path)) for method, path in ROUTES}


def glossary() -> list[str]:
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    return re.findall(r"^\| ([^|]+?) \| [^|]+ \| [^|]* \|$", page, re.MULTILINE)[1:]


def test_the_glossary_is_sorted_and_has_each_word_once():
    words = [word.casefold() for word in glossary()]
    assert len(words) > 60
    assert words == sorted(set(words), key=lambda word: re.sub(r"[^a-z]", "", word))


def test_no_diagram_has_a_semicolon_which_ends_a_statement_there():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    diagrams = re.findall(r"^```mermaid\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(diagrams) > 5
    assert [line for diagram in diagrams for line in diagram.splitlines() if ";" in line] == []


def modules() -> set[str]:
    paths = (path.relative_to(SOURCES).with_suffix("") for path in SOURCES.rglob("*.py"))
    return {".".join(path.parts).removesuffix(".__init__") for path in paths}


def test_the_walks_pass_modules_that_are_there():
    """Participants are named by the end of a module's name; what follows a colon or a bracket is a remark."""
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    walked = set(re.findall(r"participant \w+ as (?:[AB]: )?([a-z_]+(?:\.[a-z_]+)+)", page))
    assert len(walked) > 30
    assert {name for name in walked if not any(f".{there}".endswith(f".{name}") for there in modules())} == set()
