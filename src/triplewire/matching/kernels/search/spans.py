"""Spans laid end to end, as Arrow wants them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from triplewire.matching.kernels.machine import Bytes, Table, copy_bytes, kernel

Offsets = NDArray[np.int32]


@kernel
def gather(buffer: Bytes, starts: Table, ends: Table) -> tuple[Offsets, Bytes]:
    """The bytes of every span, one after the other; string `i` is `data[offsets[i]:offsets[i + 1]]`."""
    offsets = np.zeros(starts.size + 1, np.int32)
    for index in range(starts.size):
        offsets[index + 1] = offsets[index] + (ends[index] - starts[index])
    data = np.empty(offsets[-1], np.uint8)
    for index in range(starts.size):
        copy_bytes(buffer, starts[index], data, offsets[index], ends[index] - starts[index])
    return offsets, data
