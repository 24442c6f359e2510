"""What the package index and those who cite read: of this version, and with links that work there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import yaml

from triplewire import __version__

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PROJECT = PYPROJECT["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text("utf-8"))
HOME = PROJECT["urls"]["Homepage"]


def described() -> str:
    """README, with what pyproject.toml replaces in it."""
    hook = PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]
    text = "".join((ROOT / part["path"]).read_text("utf-8") for part in hook["fragments"])
    for one in hook["substitutions"]:
        text = re.sub(one["pattern"], one["replacement"].replace("$HFPR_VERSION", __version__), text)
    return text


def test_links_of_the_description_lead_to_files_of_this_version():
    links = re.findall(r"\]\(([^)#][^)]*)\)", described())
    base = f"{HOME}/blob/v{__version__}/"
    inside = [link.removeprefix(base).partition("#")[0] for link in links if link.startswith(base)]
    assert len(inside) > 10
    assert [path for path in inside if not (ROOT / path).exists()] == []
    assert [link for link in links if not link.startswith("https://")] == []


def test_every_address_of_the_project_is_below_its_home():
    assert {"Homepage", "Source", "Documentation", "Changelog", "Issues"} <= set(PROJECT["urls"])
    assert all(url == HOME or url.startswith(f"{HOME}/") for url in PROJECT["urls"].values())
    assert (
        f"({HOME}/blob/"
        in PYPROJECT["tool"]["hatch"]["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"][0]["replacement"]
    )


def test_the_pythons_that_are_named_are_those_that_a_release_is_tried_with():
    prefix = "Programming Language :: Python :: 3."
    named = [each.removeprefix(prefix) for each in PROJECT["classifiers"] if each.startswith(prefix)]
    script = (ROOT / "scripts/release-check").read_text("utf-8")
    assert f"in {' '.join(f'3.{minor}' for minor in named)};" in script
    assert PROJECT["requires-python"] == f">=3.{named[0]}"


def test_the_citation_is_of_this_version():
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors"} <= set(CITATION)
    assert CITATION["version"] == __version__
    assert CITATION["license"] == PROJECT["license"]
    assert CITATION["repository-code"] == HOME
    assert [each["name"] for each in CITATION["authors"]] == [each["name"] for each in PROJECT["authors"]]
