"""The hash and its naive twin."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.matching.scanning.naive_scanner import naive_hash

from triplewire.matching.kernels.hashing import hash_span, hash_term, same_bytes, word

seeds = st.integers(-(2**63), 2**63 - 1)


@settings(deadline=None)
@given(st.binary(max_size=70), seeds)
def test_like_its_naive_twin(term: bytes, seed: int) -> None:
    assert hash_term(term, seed) == naive_hash(term, seed)


@settings(deadline=None)
@given(st.binary(max_size=40), st.binary(max_size=9), st.binary(max_size=9), seeds)
def test_only_the_span_counts(term: bytes, before: bytes, after: bytes, seed: int) -> None:
    buffer = np.frombuffer(before + term + after, np.uint8)
    start, end = len(before), len(before) + len(term)
    assert hash_span(buffer, start, end, seed) == hash_term(term, seed)


@settings(deadline=None)
@given(st.binary(min_size=1, max_size=40), st.data())
def test_every_byte_counts(term: bytes, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(term) - 1))
    changed = bytearray(term)
    changed[place] ^= 1 << data.draw(st.integers(0, 7))
    assert hash_term(term, 7) != hash_term(bytes(changed), 7)
    spans = np.frombuffer(term + bytes(changed), np.uint8)
    assert not same_bytes(spans, 0, spans, len(term), len(term))
    assert same_bytes(spans, 0, spans[: len(term)], 0, len(term))


def test_many_like_terms_do_not_collide() -> None:
    hashes = {hash_term(b"<http://example.org/%d>" % n, 1) for n in range(20_000)}
    low_bits = {value & 0xFFFF for value in hashes}
    assert len(hashes) == 20_000
    # Of 65,536 slots, 20,000 even throws leave about 17,200 taken.
    assert 16_500 < len(low_bits) < 18_000


def test_another_seed_gives_other_hashes() -> None:
    assert hash_term(b"<urn:a>", 1) != hash_term(b"<urn:a>", 2)


def test_no_public_word_wipes_the_state_out() -> None:
    constants = (0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0)
    for constant in constants:
        block = constant.to_bytes(8, "little")
        terms = [block + bytes([n]) * 8 + block * 2 for n in range(32)]
        assert len({hash_term(term, 12345) for term in terms}) == 32


def test_any_integer_is_a_seed() -> None:
    assert [word(2**63), word(2**64 + 5), word(-1)] == [-(2**63), 5, -1]
