"""How much memory a task may count on: what the machine has, or what its container is allowed if that is less."""

from __future__ import annotations

import os
from pathlib import Path

_CONTROL_GROUPS = Path("/sys/fs/cgroup")
_LIMITS = ("memory.max", "memory/memory.limit_in_bytes")


def memory_here(groups: Path = _CONTROL_GROUPS) -> int:
    """Bytes, on the host where this is called. A limit that is no number, as `max`, is none."""
    machine = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    told = [(groups / name).read_text().strip() for name in _LIMITS if (groups / name).is_file()]
    return min([machine, *(int(limit) for limit in told if limit.isdigit())])
