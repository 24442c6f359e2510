"""Identifiers, secrets and keys."""

import random

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import InputError
from triplewire.network.sessions.identity import (
    curve_private_key,
    curve_public_key,
    is_signed,
    key_of_text,
    key_text,
    new_secret,
    public_identifier,
    public_key_of,
    secret_hash,
    sign,
)
from triplewire.store.tables.identities import hash_of

SEEDS = st.binary(min_size=32, max_size=32)


@given(SEEDS)
def test_the_curve_keys_of_a_pair_belong_together(seed):
    derived = X25519PrivateKey.from_private_bytes(curve_private_key(seed)).public_key().public_bytes_raw()
    assert derived == curve_public_key(public_key_of(seed))


@pytest.mark.parametrize("key", [b"", b"\x01" + bytes(31), bytes(31)])
def test_bytes_that_are_no_key_have_no_curve_key(key):
    with pytest.raises(InputError, match="Ed25519"):
        curve_public_key(key)


def test_a_secret_has_256_bits_and_is_kept_as_the_node_keeps_it():
    rng = random.Random(1)
    secret = new_secret(rng.randbytes)
    assert secret != new_secret(rng.randbytes)
    assert len(secret) == len("tws_") + 43
    assert secret_hash(secret) == hash_of(secret)


def test_a_signature_is_of_one_key_and_one_statement():
    one, other = bytes(range(32)), bytes(range(1, 33))
    signature = sign(one, b"this")
    assert is_signed(public_key_of(one), signature, b"this")
    assert not is_signed(public_key_of(one), signature, b"that")
    assert not is_signed(public_key_of(other), signature, b"this")
    assert not is_signed(b"no key", signature, b"this")


@given(st.binary(min_size=32, max_size=32))
def test_a_key_is_read_as_it_is_written(key):
    assert key_of_text(key_text(key)) == key
    assert public_identifier(key) == public_identifier(key_of_text(key_text(key)))


@pytest.mark.parametrize("text", ["", "short", "!" * 43, "A" * 44, "A" * 42])
def test_what_is_no_key_is_refused(text):
    with pytest.raises(InputError, match="wanted a public key of 32 bytes"):
        key_of_text(text)
