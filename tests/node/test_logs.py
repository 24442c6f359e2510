"""From which level on the log has lines; the access log is asked for by itself."""

from __future__ import annotations

import logging

import pytest

from triplewire.node.logs import ACCESS, JsonLine, OneLine, configure


@pytest.fixture
def loggers():
    root, access = logging.getLogger(), logging.getLogger(ACCESS)
    known = (root, access, logging.getLogger("httpx"))
    before, levels = root.handlers[:], [logger.level for logger in known]
    yield
    root.handlers[:] = before
    for logger, level in zip(known, levels, strict=True):
        logger.setLevel(level)


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


def test_addresses_of_webhooks_are_not_written_whole(loggers, capsys):
    configure(OneLine(), "info")
    logging.getLogger("httpx").info("HTTP Request: POST http://127.0.0.1/hook?token=abc")
    assert "token" not in capsys.readouterr().err
