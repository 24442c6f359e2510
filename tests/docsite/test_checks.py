"""What is wrong with a built site is found."""

from __future__ import annotations

from pathlib import Path

import pytest
from docsite.checks import problems


def site(folder: Path, body: str, **others: str) -> Path:
    (folder / "index.html").write_text(f"<html><body>{body}</body></html>")
    for name, text in others.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def test_a_site_that_is_as_it_should_be(tmp_path: Path):
    body = '<h1 id="top">T</h1><a href="#top">up</a><a href="b.html#x">b</a><a href="https://example.org/">away</a>'
    assert problems(site(tmp_path, body, b_html='<p id="x"></p>')) == []


@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('<script src="https://cdn.example.org/a.js"></script>', "cdn.example.org"),
        ('<link rel="stylesheet" href="//fonts.example.org/a.css">', "fonts.example.org"),
        ('<img src="https://img.example.org/a.png">', "img.example.org"),
        ('<a href="gone.html">x</a>', "not there"),
        ('<img src="gone.png">', "not there"),
        ('<a href="#gone">x</a>', "no such place"),
        ('<a href="b.html#gone">x</a>', "no such place"),
    ],
)
def test_what_a_page_must_not_have(tmp_path: Path, body: str, word: str):
    [problem] = problems(site(tmp_path, body, b_html=""))
    assert word in problem


def test_a_style_that_fetches_from_another_host(tmp_path: Path):
    found = problems(site(tmp_path, "", a_css="@font-face { src: url('https://fonts.example.org/a.woff') }"))
    assert found == ["a.css fetches something from another host"]
