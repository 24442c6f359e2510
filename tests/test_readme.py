"""What README shows must run, and what it links to must exist."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from triplewire import Subscription
from triplewire.cli.app import app
from triplewire.languages.rdftl import parse_rules
from triplewire.matching.general import plan

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


# Pages that are made when the site is built; tests/docsite holds the navigation against what is made.
MADE = {ROOT / "docs" / name for name in re.findall(r'"([\w/.-]+\.md)"', (ROOT / "zensical.toml").read_text("utf-8"))}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_its_python_runs_and_prints_what_it_says():
    code = "\n".join(blocks("python"))
    example = doctest.DocTestParser().get_doctest(code, {}, "README", "README.md", 0)
    assert example.examples
    results = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example)
    assert results.failed == 0


@pytest.mark.parametrize("language", ["sparql", "formula", "graph"])
def test_its_subscriptions_parse(language):
    (text,) = blocks(language)
    subscription = Subscription.parse(text, language=language)
    assert subscription.lane == "fast"


def test_its_rule_parses():
    (text,) = blocks("rdftl")
    assert [rule.id for rule in parse_rules(text)] == ["new_object"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    targets = [page.parent / link for link in links]
    missing = [target for target in targets if not target.exists() and target.resolve() not in MADE]
    assert missing == []


def test_paths_in_the_papers_page_exist():
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    roots = (ROOT, ROOT / "tests", ROOT / "src" / "triplewire")
    paths = set(re.findall(r"`([\w/]+(?:\.py|/)|(?:languages|matching|rdf|algebra)(?:/\w+)*)`", page))
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not any((root / path).exists() for root in roots)] == []


def test_it_shows_every_command_but_those_for_administrators():
    shown = set(re.findall(r"^triplewire ([a-z]+)", "".join(blocks("bash")), re.MULTILINE))
    for command in shown:
        assert CliRunner().invoke(app, [command, "--help"]).exit_code == 0
    library = {"match", "explain", "why", "subsumes", "covers", "generate", "pipeline", "rules"}
    assert shown == library | {
        "serve",
        "publish",
        "subscribe",
        "subscriptions",
        "query",
        "update",
        "feed",
        "network",
        "peer",
        "space",
    }


def differences(text: str) -> list[str]:
    items = re.findall(r"^- (.*(?:\n  .*)*)", text.partition("What stays different")[2], re.MULTILINE)
    return [" ".join(item.replace("`", "").split()) for item in items]


def test_what_differs_from_sparql_is_listed_in_both_places():
    in_docs = differences((ROOT / "docs/matching.md").read_text(encoding="utf-8"))
    assert in_docs == differences(plan.__doc__)
    assert len(in_docs) > 3
