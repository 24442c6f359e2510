"""A13: a webhook leads to a global address, or nowhere."""

from __future__ import annotations

import socket
from ipaddress import ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from triplewire.errors import AddressRefused
from triplewire.node.delivery.addresses import Loopback, is_global, permitted, target_of
from triplewire.node.delivery.webhook_request import Resolver

NOT_GLOBAL = [
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "127.0.0.1",
    "127.255.255.254",
    "169.254.169.254",
    "172.16.0.1",
    "192.0.0.8",
    "192.0.2.1",
    "192.88.99.1",
    "192.168.0.1",
    "198.18.0.1",
    "198.51.100.1",
    "203.0.113.1",
    "224.0.0.1",
    "239.255.255.250",
    "240.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::7f00:1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::ffff:0:127.0.0.1",
    "64:ff9b::7f00:1",
    "64:ff9b::a00:1",
    "64:ff9b:1::1",
    "100::1",
    "2001::1",
    "2001:0:7f00:1::",
    "2001:db8::1",
    "2002:7f00:1::",
    "2002:a00:1::",
    "3fff::1",
    "5f00::1",
    "fc00::1",
    "fd12:3456::1",
    "fe80::1",
    "fe80::1%1",
    "fec0::1",
    "ff02::1",
]
GLOBAL = [
    "1.1.1.1",
    "93.184.216.34",
    "2606:4700::1",
    "2a00:1450::1",
    "64:ff9b::101:101",
    "::ffff:1.1.1.1",
    "2002:101:101::1",
]


@pytest.mark.parametrize("address", NOT_GLOBAL)
def test_a13_not_global(address):
    assert not is_global(ip_address(address))


@pytest.mark.parametrize("address", GLOBAL)
def test_global(address):
    assert is_global(ip_address(address))


@given(st.ip_addresses(v=4))
def test_a13_no_form_of_ipv4_inside_ipv6_opens_more_than_ipv4_does(address):
    number = int(address)
    for form in (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80):
        assert is_global(ip_address(form.to_bytes(16, "big"))) == is_global(address)


@pytest.mark.parametrize(
    "host",
    ["0x7f.1", "2130706433", "0177.0.0.1", "127.1", "0x7f000001", "127.0.0.1", "[::1]", "[::ffff:7f00:1]", "localhost",
     "0", "0x0a000001", "[::ffff:10.0.0.1]", "169.254.169.254", "10.1"],
)  # fmt: skip
def test_a13_every_spelling_of_a_private_address_is_refused_after_the_resolver_read_it(host):
    target = target_of(f"http://{host}/hook")
    found = [str(entry[4][0]) for entry in socket.getaddrinfo(target.host, 80, type=socket.SOCK_STREAM)]
    with pytest.raises(AddressRefused, match="global"):
        permitted(found, target, Loopback.REFUSED)


def test_a13_one_private_address_among_global_ones_refuses_all():
    with pytest.raises(AddressRefused, match=r"10\.0\.0\.1"):
        permitted(["1.1.1.1", "10.0.0.1"], target_of("https://example.org/"), Loopback.REFUSED)


def test_a13_loopback_by_explicit_option_and_nothing_else_with_it():
    target = target_of("http://localhost:8080/hook")
    assert str(permitted(["127.0.0.1"], target, Loopback.ALLOWED)) == "127.0.0.1"
    for other in ("10.0.0.1", "169.254.169.254", "0.0.0.0", "fe80::1"):
        with pytest.raises(AddressRefused):
            permitted([other], target, Loopback.ALLOWED)


@pytest.mark.parametrize(
    "url",
    ["ftp://example.org/", "file:///etc/passwd", "http://", "http:///x", "https://user:pw@example.org/",
     "http://user@example.org", "http://example.org:0/", "http://example.org:99999/", "http://[::1", "//example.org/",
     "http://example.org/#part", "http://exa mple.org/", "http://exämple.org/", "http://example.org/\r\nX: y",
     "http://example.org\\@127.0.0.1/", "http://example.org/" + "a" * 3000, "", "gopher://x/"],
)  # fmt: skip
def test_a13_urls_that_are_refused_before_anything_is_resolved(url):
    with pytest.raises(AddressRefused):
        target_of(url)


def test_the_url_at_an_address_keeps_port_path_and_query():
    target = target_of("https://hooks.example.org/in?x=1")
    assert target.url_at(ip_address("1.1.1.1")) == "https://1.1.1.1:443/in?x=1"
    assert target.url_at(ip_address("2606:4700::1")) == "https://[2606:4700::1]:443/in?x=1"
    assert target.host_header == "hooks.example.org"
    assert target_of("http://[2606:4700::1]:81").host_header == "[2606:4700::1]:81"


async def test_the_resolver_gives_each_address_once():
    resolver = Resolver(1)
    try:
        assert await resolver("0x7f.1", 80) == ["127.0.0.1"]
    finally:
        resolver.close()
