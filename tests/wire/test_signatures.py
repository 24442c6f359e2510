"""A14: signatures that only the holder of the secret can make, and only for a while."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import InputError, SignatureMismatch
from triplewire.wire.signatures import key_of, secret_of, signed_headers, verify

SECRET = secret_of(bytes(range(32)))
NOW = 1_700_000_000


def test_a14_a_signed_message_is_verified():
    headers = signed_headers(SECRET, "n-1", NOW, b"{}")
    assert verify(SECRET, headers, b"{}", NOW + 10) == "n-1"


def test_the_example_of_the_standard_webhooks_specification():
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    headers = signed_headers(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert headers["webhook-signature"] == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


@pytest.mark.parametrize(
    ("change", "value"),
    [("webhook-id", "n-2"), ("webhook-timestamp", str(NOW + 1)), ("webhook-signature", "v1,AAAA")],
)
def test_a14_a_changed_header_is_refused(change, value):
    headers = signed_headers(SECRET, "n-1", NOW, b"{}") | {change: value}
    with pytest.raises(SignatureMismatch):
        verify(SECRET, headers, b"{}", NOW)


@given(st.binary(max_size=20))
def test_a14_another_body_is_refused(body):
    headers = signed_headers(SECRET, "n-1", NOW, b"the body that was signed")
    with pytest.raises(SignatureMismatch):
        verify(SECRET, headers, body, NOW)


@pytest.mark.parametrize("late", [-301, 301, 3600])
def test_a12_a_replayed_message_is_refused(late):
    headers = signed_headers(SECRET, "n-1", NOW, b"{}")
    with pytest.raises(SignatureMismatch, match="within 300 s"):
        verify(SECRET, headers, b"{}", NOW + late)


def test_another_secret_is_refused():
    headers = signed_headers(secret_of(b"x" * 32), "n-1", NOW, b"{}")
    with pytest.raises(SignatureMismatch):
        verify(SECRET, headers, b"{}", NOW)


def test_one_good_signature_among_several_is_enough_for_a_change_of_secrets():
    headers = signed_headers(SECRET, "n-1", NOW, b"{}")
    headers["webhook-signature"] = "v1,AAAA v2,x " + headers["webhook-signature"]
    assert verify(SECRET, headers, b"{}", NOW) == "n-1"


@pytest.mark.parametrize("bad", ["whsec_***", "whsec_", "whsec_AAAA", "whsec_" + "A" * 400])
def test_a_bad_secret_is_named(bad):
    with pytest.raises(InputError, match="webhook secret"):
        key_of(bad)


def test_a_missing_header_is_named():
    with pytest.raises(SignatureMismatch, match="webhook-id"):
        verify(SECRET, {}, b"", NOW)
