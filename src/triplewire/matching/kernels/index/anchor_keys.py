"""An anchor as one word, and where a table of anchors looks for it."""

from __future__ import annotations

from triplewire.matching.kernels.machine import fold, fused, kernel

KEY_BITS = 29
_GOLDEN = -0x61C8864680B583EB


@kernel
def anchor_key(tag: int, a: int, b: int) -> int:
    """One word for an anchor: a tag and up to two constants, each below 2**29."""
    return (int(tag) << (2 * KEY_BITS)) | (int(a) << KEY_BITS) | int(b)


@fused
def key_slot(key: int, mask: int) -> int:
    """Where the search for a key begins."""
    return fold(key, _GOLDEN) & mask
