"""Pages for man(1): what is shown is what was said."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from triplewire.cli.manual.entries import Entry, Item
from triplewire.cli.manual.roff import page

ENTRY = Entry(
    words=("triplewire", "try"),
    synopsis="triplewire try [OPTIONS] FILE",
    purpose="Try a file",
    text=("'quoted' words come first.", ".so is no request here."),
    arguments=(Item("FILE", "A path such as C:\\new."),),
    options=(Item("--not-now", "Later."),),
    commands=(),
    examples=("triplewire try 'SELECT * { ?s ?p \"a\\nb\" }'",),
    notes=(),
)


def test_no_line_of_the_text_becomes_a_request():
    requests = {line.split()[0] for line in page(ENTRY, "1").splitlines() if line.startswith((".", "'"))}
    assert requests == {".TH", ".SH", ".PP", ".TP", ".EX", ".EE"}


def test_sections_without_content_are_left_out():
    assert ".SH COMMANDS" not in page(ENTRY, "1")
    assert ".SH OPTIONS" in page(ENTRY, "1")


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_groff_shows_it_without_a_warning():
    shown = subprocess.run(
        ["groff", "-man", "-ww", "-Tascii", "-P-c", "-P-b", "-P-u", "-rLL=78n"],
        input=page(ENTRY, "1"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert shown.stderr == ""
    for words in ("--not-now", "C:\\new", "'quoted' words", ".so is no", '"a\\nb"'):
        assert words in shown.stdout
