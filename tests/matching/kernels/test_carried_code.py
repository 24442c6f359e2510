"""Machine code that one process has compiled is found by another that has no cache of its own, if it is the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numba
import pytest

from triplewire.matching.kernels import carried_code, machine


def _twice(number: int) -> int:
    return 2 * number


def _refusing(**options: Any) -> Any:
    if options.get("cache"):
        raise RuntimeError("cannot cache function: no locator available")
    return numba.njit(**options)


@pytest.fixture(autouse=True)
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels and folders of this test only."""
    monkeypatch.setattr(carried_code, "_kernels", [])
    monkeypatch.setattr(carried_code, "_folders", [])


def compiled_elsewhere(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill a folder as a process does that has compiled the kernel, and forget that process."""
    kernel: Any = machine.kernel(_twice)
    kernel._cache._cache_file._cache_path = str(folder.parent)
    kernel._cache._cache_file._index_path = str(folder.parent / kernel._cache._cache_file._index_name)
    assert kernel(1) == 2
    folder.mkdir()
    assert carried_code.pack(folder) == 1
    monkeypatch.setattr(machine, "_njit", _refusing)


def test_a_process_that_may_write_nowhere_finds_it(tmp_path, monkeypatch):
    compiled_elsewhere(tmp_path / "carried", monkeypatch)
    kernel: Any = machine.kernel(_twice)
    assert not machine.is_kept(kernel)
    carried_code.look_also(lambda: tmp_path / "carried")
    assert machine.is_kept(kernel)
    assert kernel(3) == 6
    assert (sum(kernel.stats.cache_hits.values()), sum(kernel.stats.cache_misses.values())) == (1, 0)


def test_what_was_carried_late_is_found_as_well_and_none_is_no_error(tmp_path, monkeypatch):
    compiled_elsewhere(tmp_path / "carried", monkeypatch)
    carried_code.look_also(lambda: None)
    kernel: Any = machine.kernel(_twice)
    assert kernel(3) == 6
    assert sum(kernel.stats.cache_misses.values()) == 1


def test_code_of_another_text_is_not_taken(tmp_path, monkeypatch):
    compiled_elsewhere(tmp_path / "carried", monkeypatch)
    carried_code.look_also(lambda: tmp_path / "carried")
    monkeypatch.setattr(machine, "_stamp", lambda own: "another text")
    kernel: Any = machine.kernel(_twice)
    assert not machine.is_kept(kernel)
    assert kernel(3) == 6
    assert sum(kernel.stats.cache_misses.values()) == 1


def test_kernels_that_were_never_compiled_are_not_packed(tmp_path, monkeypatch):
    monkeypatch.setattr(machine, "_njit", _refusing)
    machine.kernel(_twice)
    assert carried_code.pack(tmp_path) == 0
