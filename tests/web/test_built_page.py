"""What is built is found beside the package, or is said to be missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.web import built_page


def test_a_page_is_there_once_it_was_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(built_page, "_folder", lambda: tmp_path)
    assert not built_page.is_built()
    (tmp_path / "index.html").write_text("<!doctype html>")
    assert built_page.is_built()
    assert built_page.index_file().content == b"<!doctype html>"
