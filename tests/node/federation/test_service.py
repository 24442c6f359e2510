"""Rules across super-peers on real nodes: registered at one, triggered at another, executed at a third."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.node.federation.federated import EX, acquainted, hosts, quiet
from tests.node.transport.backbones import until

from triplewire.errors import Forbidden, UnknownRule

MARK = "ON INSERT resource() AS INSTANCE OF Person IF True DO INSERT ($delta, likes, resource(ex:cat))"


async def test_a_rule_of_one_node_is_triggered_at_another_and_acts_at_a_third(tmp_path: Path):
    async with hosts(tmp_path, "a", "b", "c") as [a, b, c]:
        await c.update(
            "INSERT resource(ex:cat) AS INSTANCE OF Person;; INSERT resource(ex:ann) AS INSTANCE OF Person;;"
        )
        await acquainted(a, b, c)
        made = await a.rule(
            "ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT (resource(ex:ann), likes, resource(ex:cat))"
        )
        assert made.id == f"{a.id}.1"
        assert (made.name, made.origin, made.abort) == ("rule", a.id, "INDEPENDENT")
        await b.update("INSERT resource(ex:bob) AS INSTANCE OF Worker;;")
        await until(lambda: c.has("ann", EX["likes"], "cat"))
        await quiet(a, b, c)
        assert b.holds_rule(made.id)
        await a.federation.remove_rule(a.me, "rule")
        await until(lambda: not b.holds_rule(made.id))


async def test_a_rule_of_a_super_peer_that_has_gone_is_deleted_at_another(tmp_path: Path):
    async with hosts(tmp_path, "a", "b") as [a, b]:
        await b.update("INSERT resource(ex:ann) AS INSTANCE OF Person;;")
        made = await a.rule(MARK)
        await until(lambda: b.holds_rule(made.id))
        with pytest.raises(Forbidden, match=f"one of {a.id}, where it can be deleted"):
            await b.federation.remove_rule(b.me, made.id)
        with pytest.raises(UnknownRule):
            await b.federation.remove_rule(b.client("other"), made.id)
        await a.stop()
        await until(lambda: not b.federation.machine.network.others)
        await b.federation.remove_rule(b.me, made.id)
        assert not b.holds_rule(made.id)
