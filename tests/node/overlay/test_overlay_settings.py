"""From settings to a plan, and what is refused before anything is opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.errors import InputError
from triplewire.network.timings import Timings
from triplewire.node.overlay.overlay_settings import overlay_settings
from triplewire.node.settings import load_settings
from triplewire.node.transport.keys import NetworkKey


@pytest.fixture
def key(tmp_path: Path) -> Path:
    file = tmp_path / "network.key"
    NetworkKey(bytes(32)).write(file)
    return file


def settings(**flags: object):
    return load_settings({"data": "d", **flags}, {})


def test_without_a_key_a_node_is_on_its_own():
    assert overlay_settings(settings()) is None


@pytest.mark.parametrize("flags", [{"join": "tcp://127.0.0.1:1"}, {"network_address": "tcp://127.0.0.1:1"}])
def test_without_a_key_there_is_nothing_to_join(flags):
    with pytest.raises(InputError, match="--key FILE"):
        overlay_settings(settings(**flags))


def test_a_plan(key):
    plan = overlay_settings(settings(network_key=key, join="tcp://a:1, tcp://b:2", network_address="tcp://127.0.0.1:7"))
    assert plan is not None
    assert plan.seeds == ("tcp://a:1", "tcp://b:2")
    assert (plan.key, plan.address, plan.timings) == (NetworkKey(bytes(32)), "tcp://127.0.0.1:7", Timings())


def test_without_an_address_it_is_a_port_of_the_nodes_host(key):
    for host, expected in (("localhost", "127.0.0.1"), ("::1", "[::1]"), ("192.0.2.1", "192.0.2.1")):
        plan = overlay_settings(settings(network_key=key, host=host))
        assert plan is not None
        assert plan.host == expected


def test_a_node_that_listens_everywhere_has_to_say_where_it_is_reached(key):
    with pytest.raises(InputError, match="--network-address"):
        overlay_settings(settings(network_key=key, host="0.0.0.0"))


@pytest.mark.parametrize("address", ["ipc:///tmp/x", "tcp://*:7", "tcp://0.0.0.0:7", "tcp://a", "127.0.0.1:7", ""])
def test_addresses_that_lead_nowhere_are_refused(key, address):
    with pytest.raises(InputError, match="wanted the network address"):
        overlay_settings(settings(network_key=key, network_address=address))
    if address:
        with pytest.raises(InputError, match="wanted the address to join at"):
            overlay_settings(settings(network_key=key, join=address))


def test_an_event_has_to_fit_into_a_message(key):
    with pytest.raises(InputError, match="wanted events of at most"):
        overlay_settings(settings(network_key=key, event_bytes=1 << 30))


def test_patience_stretches_every_time(key):
    plan = overlay_settings(settings(network_key=key, network_patience=3))
    assert plan is not None
    assert (plan.timings.heartbeat, plan.timings.suspect_after) == (
        3 * Timings().heartbeat,
        3 * Timings().suspect_after,
    )
