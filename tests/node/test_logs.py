"""From which level on the log has lines; the access log is asked for by itself."""

from __future__ import annotations

import logging

import pytest

from triplewire.node.logs import ACCESS, JsonLine, OneLine, configure


@pytest.fixture
def loggers():
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    before, levels = root.handlers[:], (root.level, access.level)
    yield
    root.handlers[:] = before
    root.setLevel(levels[0])
    access.setLevel(levels[1])


@pytest.mark.parametrize("formatter", [OneLine(), JsonLine()])
def test_a_level_leaves_out_what_is_below_it(loggers, capsys, formatter):
    configure(formatter, "warning")
    logging.getLogger("triplewire.some").info("quiet")
    logging.getLogger("triplewire.some").warning("loud")
    logging.getLogger(ACCESS).info("a request")
    said = capsys.readouterr().err
    assert "quiet" not in said
    assert "loud" in said
    assert "a request" in said


def test_what_opens_something_is_left_out(loggers, capsys):
    configure(OneLine(), "debug")
    logging.getLogger("triplewire.some").debug("with tws_abc-def")
    assert "with tws_…" in capsys.readouterr().err
