"""An interrupt waits for the end of a call into the JVM, unless that does not end."""

from __future__ import annotations

import importlib.util
import os
import signal
import threading
import time
from pathlib import Path
from types import ModuleType

import pytest

from triplewire.pipeline import interrupts
from triplewire.pipeline.interrupts import deferred_interrupts, patient_interrupts

GATEWAY = """
def call(during, after):
    during()
    after.append("answered")
"""


@pytest.fixture
def gateway(tmp_path: Path) -> ModuleType:
    """A module whose code lies where Py4J's does."""
    path = tmp_path / "py4j" / "gateway.py"
    path.parent.mkdir()
    path.write_text(GATEWAY)
    spec = importlib.util.spec_from_file_location("gateway", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.2)


def wait() -> None:
    time.sleep(5)


def test_a_call_is_answered_before_the_interrupt_comes(gateway):
    before, answers = signal.getsignal(signal.SIGINT), []

    def called() -> None:
        gateway.call(press, answers)
        wait()

    with pytest.raises(KeyboardInterrupt), patient_interrupts():
        called()
    assert answers == ["answered"]
    assert signal.getsignal(signal.SIGINT) is before


def test_elsewhere_it_comes_at_once():
    with pytest.raises(KeyboardInterrupt), patient_interrupts():
        press()


def test_a_call_that_does_not_end_is_broken_off(gateway, monkeypatch):
    monkeypatch.setattr(interrupts, "_PATIENCE_SECONDS", 0.1)
    answers: list[str] = []

    def for_ever() -> None:
        press()
        wait()

    with pytest.raises(KeyboardInterrupt), patient_interrupts():
        gateway.call(for_ever, answers)
    assert answers == []


def test_a_loop_may_look_for_itself():
    with deferred_interrupts() as pressed:
        assert not pressed.is_set()
        press()
        assert pressed.is_set()
        with pytest.raises(KeyboardInterrupt):
            press()


def test_other_threads_are_left_alone():
    seen = []

    def work() -> None:
        with patient_interrupts(), deferred_interrupts() as pressed:
            seen.append(pressed.is_set())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]
