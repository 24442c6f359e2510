"""The network key: its text, its file, and what is derived from it."""

from __future__ import annotations

import stat

import pytest

from triplewire.errors import InputError
from triplewire.node.transport.keys import KeyPair, NetworkKey, member_of


def test_a_key_survives_its_file_and_only_its_owner_may_read_it(tmp_path):
    key = NetworkKey.new()
    key.write(tmp_path / "network.key")
    assert NetworkKey.read(tmp_path / "network.key") == key
    assert stat.S_IMODE((tmp_path / "network.key").stat().st_mode) == 0o600


def test_a_key_is_never_written_over_another(tmp_path):
    file = tmp_path / "network.key"
    NetworkKey.new().write(file)
    kept = file.read_bytes()
    with pytest.raises(FileExistsError):
        NetworkKey.new().write(file)
    assert file.read_bytes() == kept


def test_two_keys_differ_and_so_does_all_that_follows():
    one, other = NetworkKey.new(), NetworkKey.new()
    assert one.text != other.text
    assert one.server.public != other.server.public
    assert one.fingerprint != other.fingerprint
    assert one.server == NetworkKey.parse(one.text).server


@pytest.mark.parametrize(
    "text",
    ["", "twn_", "tws_" + "A" * 43, "twn_" + "A" * 42, "twn_" + "A" * 44, "twn_" + "A" * 42 + "é", "twn_" + "!" * 43],
)
def test_what_is_no_key_is_refused_without_being_shown(tmp_path, text):
    file = tmp_path / "file"
    file.write_text(text)
    with pytest.raises(InputError, match="wanted a network key") as refused:
        NetworkKey.read(file)
    assert refused.value.source == str(file)
    assert "AAAA" not in str(refused.value)


def test_a_file_of_any_size_is_not_read_whole(tmp_path):
    file = tmp_path / "file"
    file.write_bytes(b"\xff" * (1 << 20))
    with pytest.raises(InputError, match="wanted a network key"):
        NetworkKey.read(file)


def test_neither_key_shows_its_secret_when_it_is_printed():
    key, pair = NetworkKey(b"s" * 32), KeyPair.of(b"s" * 32)
    for shown in (repr(key), str(key), repr(pair), str(pair)):
        assert "sss" not in shown


def test_a_member_is_named_by_its_public_key():
    pair = KeyPair.new()
    assert pair.member == member_of(pair.public)
    assert pair.member != KeyPair.new().member
    assert KeyPair.of(pair.secret) == pair
