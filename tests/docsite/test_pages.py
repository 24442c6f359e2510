"""The site has everything that there is: pages, commands, routes, settings, public names, examples."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec
import pytest
import typer

from docsite import command_line, gallery, pages, python_api, settings
from triplewire.cli.app import app
from triplewire.cli.manual.entries import entries
from triplewire.node.settings import PREFIX, Settings

ROOT = Path(__file__).parents[2]
CONFIGURATION = tomllib.loads((ROOT / "zensical.toml").read_text("utf-8"))["project"]
WRITTEN = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
# By the folder or file that a maker fills; what they make is tested one by one.
MADE = re.compile(
    r"reference/(commands|settings|http|metrics)\.md|reference/python/|examples/|tutorial/first-steps|changelog"
)


def in_navigation(part: object) -> set[str]:
    if isinstance(part, str):
        return {part}
    inner = part.values() if isinstance(part, dict) else part
    return {name for each in inner for name in in_navigation(each)}


def test_every_page_that_was_written_has_a_place_in_the_navigation():
    assert WRITTEN - in_navigation(CONFIGURATION["nav"]) == set()


def test_the_navigation_names_only_pages_that_are_written_or_made():
    others = in_navigation(CONFIGURATION["nav"]) - WRITTEN
    assert [name for name in others if not MADE.match(name)] == []


def test_four_kinds_stand_apart():
    assert [next(iter(part)) for part in CONFIGURATION["nav"]] == [
        "Home",
        "Tutorial",
        "How-to",
        "Reference",
        "Explanation",
        "Examples",
    ]


def test_every_guide_is_in_the_overview_of_guides():
    overview = (ROOT / "docs/how-to/index.md").read_text("utf-8")
    guides = in_navigation(next(part["How-to"] for part in CONFIGURATION["nav"] if "How-to" in part))
    named = {name.removeprefix("how-to/") for name in guides - {"how-to/index.md"}}
    assert named == {
        link.removeprefix("../") for link in re.findall(r"^\| \[[^]]*\]\(([^)]+)\)", overview, re.MULTILINE)
    }


def test_the_page_of_commands_has_every_option_of_every_command():
    page = command_line.page()
    for entry in entries(typer.main.get_command(app)):
        section = re.search(rf"^#+ {re.escape(entry.name)}\n(.*?)(?=^##|\Z)", page, re.DOTALL | re.MULTILINE)
        assert section, entry.name
        assert all(item.name in section[1].replace("\\|", "|") for item in (*entry.arguments, *entry.options))


def test_the_page_of_settings_has_every_setting():
    page = settings.page()
    for field in msgspec.structs.fields(Settings):
        assert f"| `{PREFIX}{field.name.upper()}` | `{field.name}` |" in page


def test_the_pages_of_python_have_every_public_name():
    made = python_api.pages()
    for name in python_api.MODULES:
        module = __import__(name, fromlist=["*"])
        page = made[f"{name}.md"]
        assert [public for public in python_api.public_names(module) if f"## `{public}`" not in page] == []
        assert " at 0x" not in page
    import triplewire

    assert set(python_api.public_names(triplewire)) == {each for each in triplewire.__all__ if each[0] != "_"}


def test_every_example_has_a_page_and_a_test_that_runs_it():
    programs = {path.name for path in (ROOT / "examples").glob("*.py")}
    assert {each.path for each in gallery.EXAMPLES} == programs
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for each in gallery.EXAMPLES:
        runs = (ROOT / each.test).read_text("utf-8")
        assert each.path in runs or each.command in runs
        assert f"examples/{each.path}" in makefile


def test_the_vocabulary_has_every_term_that_the_sources_use():
    page = (ROOT / "docs/reference/vocabulary.md").read_text("utf-8")
    # Terms that never leave a computation, and marks of files that are no RDF.
    inner = {"sample", "is", "a", "b", "datatype", "rules", "federation"}
    used = set()
    for source in (ROOT / "src").rglob("*.py"):
        used |= set(re.findall(r'\bTW\["(\w+)"\]|\btw:(\w+)', source.read_text("utf-8")))
    names = {one or other for one, other in used} - inner
    assert len(names) > 20
    assert [name for name in sorted(names) if f"tw:{name}" not in page] == []


def test_links_that_leave_the_documentation_lead_to_the_sources(tmp_path: Path):
    docs = tmp_path / "docs"
    (docs / "deep").mkdir(parents=True)
    (docs / "deep" / "page.md").write_text("[a](../../README.md#as-a-node) [b](../other.md) [c](https://example.org)")
    pages.copy(docs, tmp_path / "copy")
    text = (tmp_path / "copy/deep/page.md").read_text()
    assert text == f"[a]({pages.HOME}/README.md#as-a-node) [b](../other.md) [c](https://example.org)"


def test_a_made_page_never_replaces_one_that_was_written(tmp_path: Path):
    (tmp_path / "page.md").write_text("by hand")
    with pytest.raises(FileExistsError):
        list(pages.write({"page.md": "made"}, tmp_path))
