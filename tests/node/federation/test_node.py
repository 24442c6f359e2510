"""Rules across super-peers as a whole node has them: switched on with a network, shown in the metrics."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.http.serving import api_of
from tests.node.http.test_status import numbers
from tests.node.transport.backbones import until
from tests.rules.execution.town import PREAMBLE
from tests.rules.family import FAMILY

from triplewire.languages.rdftl import parse_updates
from triplewire.node.service import ANONYMOUS
from triplewire.node.transport.keys import NetworkKey

RULE = PREAMBLE + "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, name, 'x')"
BIRTH = parse_updates(PREAMBLE + "INSERT resource(ex:ann) AS INSTANCE OF Person;;")


@pytest.fixture
def key(tmp_path: Path) -> Path:
    NetworkKey.new().write(tmp_path / "key")
    return tmp_path / "key"


async def test_a_super_peer_carries_rules_unless_it_is_told_not_to(tmp_path: Path, key: Path):
    async with api_of(tmp_path / "on", network_key=key) as api:
        assert api.node.federation is not None
        assert api.node.federation.me == api.node.overlay.id
    async with api_of(tmp_path / "off", network_key=key, network_rules=False) as api:
        assert api.node.federation is None
    async with api_of(tmp_path / "alone") as api:
        assert api.node.federation is None


async def test_metrics_tell_of_rules_units_and_the_log(tmp_path: Path, key: Path):
    async with api_of(tmp_path / "node", network_key=key) as api:
        node = api.node
        await node.broker.rules.set_schema(ANONYMOUS, FAMILY)
        await node.federation.put_rule(ANONYMOUS, "name", RULE, None)
        found = numbers((await api.get("/metrics")).text)
        assert found['triplewire_federation_rules{state="asleep"}'] == 1
        assert found["triplewire_federation_log_bytes"] > 0
        await node.broker.rules.update(ANONYMOUS, BIRTH)
        await until(lambda: node.federation.participation.happenings.counts["UnitCommitted"] >= 2)
        await until(lambda: not node.federation.participation.site.lag)
        found = numbers((await api.get("/metrics")).text)
        assert found['triplewire_federation_rules{state="awake"}'] == 1
        assert found['triplewire_federation_units{status="committed"}'] >= 2
        assert found["triplewire_federation_reports_waiting"] == 0
        assert found['triplewire_federation_sent_total{to="own graph"}'] > 0
        assert found["triplewire_federation_inputs_total"] > 0
