"""Pages that need a node: routes and metrics; and the notebook, executed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from docsite import http_api, metrics, notebook

ROOT = Path(__file__).parents[2]


def test_the_page_of_routes_has_every_route_and_schema():
    document = http_api.document()
    page = http_api.page(document)
    for path, methods in document["paths"].items():
        for method in methods:
            assert f"### `{method.upper()} {path}`" in page
    for name in document["components"]["schemas"]:
        assert f"### {name}\n" in page
    assert set(re.findall(r"\]\(#(\w+)\)", page)) <= {name.lower() for name in document["components"]["schemas"]}


@pytest.mark.system
def test_the_page_of_metrics_has_every_metric_of_the_sources():
    page = metrics.page()
    source = (ROOT / "src/triplewire/node/http/metrics.py").read_text("utf-8")
    named = set(re.findall(r'"(triplewire_\w+)"', source))
    assert len(named) > 40
    assert [name for name in sorted(named) if f"`{name}" not in page] == []


@pytest.mark.system
def test_the_notebook_runs_and_says_what_it_says():
    page = notebook.page(notebook.executed(ROOT / "examples/first-steps.ipynb"))
    assert 'recent <http://example.org/e1> "M. Koubarakis"' in page
    assert "year 1977 is not >= 2000" in page
    assert "(True, False)" in page
    assert re.search(r"200 events, 2,000 subscriptions\n[\d,]+ candidates, [\d,]+ matches", page)


def test_the_notebook_is_kept_without_outputs():
    cells = notebook.read(ROOT / "examples/first-steps.ipynb").cells
    assert [cell.source for cell in cells if cell.get("outputs")] == []
