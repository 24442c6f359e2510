"""What an installation without some of the extras can do. `scripts/release-check` tries the same with a real wheel."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from triplewire.extras import EXTRAS

SOURCES = Path(__file__).parents[1] / "src"
BASE = {"llvmlite", "msgspec", "numba", "numpy", "pyarrow", "pyoxigraph", "rich", "triplewire", "typer"}
EVENT = '<urn:a> <urn:year> "2004"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e> .\n'

LACKING = """
import sys

class Lacking:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {packages!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Lacking())
"""


def run_without(packages: set[str], program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a program in a process that finds none of these packages."""
    text = LACKING.format(packages=packages) + program
    return subprocess.run([sys.executable, "-c", text, *arguments], capture_output=True, text=True, check=False)


def triplewire_without(packages: set[str], *arguments: str) -> subprocess.CompletedProcess[str]:
    return run_without(packages, "from triplewire.cli import main; main()", *arguments)


def packages_beside(extra: str) -> set[str]:
    return {package for package, brought_by in EXTRAS.items() if brought_by != extra}


def imported_in(module: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(module.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield (node.module or "").partition(".")[0]


def test_every_package_that_is_imported_is_in_the_base_or_in_an_extra():
    imported = {package for module in SOURCES.rglob("*.py") for package in imported_in(module)}
    assert imported - sys.stdlib_module_names - BASE - {"__future__"} <= set(EXTRAS)


HELP = """
import typer.main
from typer.testing import CliRunner
import triplewire
import triplewire.pipeline
import triplewire.testing.workloads
from triplewire.cli.app import app

def paths(command, path=()):
    yield path
    for name, inner in getattr(command, "commands", {}).items():
        yield from paths(inner, (*path, name))

for path in paths(typer.main.get_command(app)):
    result = CliRunner().invoke(app, [*path, "--help"])
    assert result.exit_code == 0, (path, result.output, result.exception)
    print(*path)
"""


@pytest.mark.parametrize("extra", ["", "interop", "spark", "node"])
def test_every_command_starts_with_any_one_extra(extra: str):
    run = run_without(packages_beside(extra), HELP)
    assert run.returncode == 0, run.stderr
    assert {"match", "serve", "pipeline match", "network key", "rules check"} <= set(run.stdout.splitlines())


def test_a_command_that_needs_no_extra_works_without(tmp_path: Path):
    (tmp_path / "old.rq").write_text("SELECT ?x { ?x <urn:year> ?y FILTER(?y < 2010) }", "utf-8")
    (tmp_path / "event.nq").write_text(EVENT, "utf-8")
    arguments = ("match", "-s", str(tmp_path / "old.rq"), "-e", str(tmp_path / "event.nq"), "--format", "json")
    run = triplewire_without(set(EXTRAS), *arguments)
    assert (run.returncode, run.stdout.count('"old"')) == (0, 1), run.stderr


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        (("serve", "--data", "{folder}/node", "--port", "0"), "node"),
        (("publish", "{folder}/event.nq"), "node"),
        (("subscribe", "{folder}/old.rq"), "node"),
        (("query", "ASK {{}}"), "node"),
        (("feed", "https://example.org/feed"), "node"),
        (("clients",), "node"),
        (("network", "key", "{folder}/key"), "node"),
        (("peer", "--home", "{folder}/peer", "--at", "tcp://127.0.0.1:1", "--key", "k", "init"), "node"),
        (("pipeline", "match", "-s", "{folder}/old.rq", "-e", "{folder}/event.nq", "--out", "{folder}/lake"), "spark"),
    ],
    ids=lambda value: value if isinstance(value, str) else "-".join(value[:2]),
)
def test_a_command_without_its_extra_names_it(arguments: tuple[str, ...], extra: str, tmp_path: Path):
    (tmp_path / "old.rq").write_text("ASK { ?x <urn:year> ?y }", "utf-8")
    (tmp_path / "event.nq").write_text(EVENT, "utf-8")
    run = triplewire_without(set(EXTRAS), *(argument.format(folder=tmp_path) for argument in arguments))
    assert run.returncode in (1, 2)
    assert f"pip install 'triplewire[{extra}]'" in " ".join(run.stderr.split())
    assert "Traceback" not in run.stderr
    assert "a bug" not in run.stderr


@pytest.mark.parametrize(
    ("statement", "extra"),
    [
        ("from triplewire.client import Client", "node"),
        ("from triplewire.testing import Oracle", "testing"),
        ("import triplewire.rdf.interop", "interop"),
    ],
)
def test_an_import_without_its_extra_names_it(statement: str, extra: str):
    program = f"""
try:
    {statement}
except ImportError as error:
    print(type(error).__name__, error)
"""
    run = run_without(set(EXTRAS), program)
    assert run.stdout.startswith("MissingExtra"), run.stderr
    assert f"pip install 'triplewire[{extra}]'" in run.stdout
