"""An update that has not ended can be withdrawn: what waits is dropped, what is executed is undone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.node.http.serving import Api, api_of, is_problem
from tests.node.http.test_rules import ANN, prepared, update
from tests.rules.execution.town import a

from triplewire.errors import UpdateEnded, UpdateWithdrawn
from triplewire.node.rules.idempotency import IdempotencyKey
from triplewire.node.rules.withdrawal import PendingUpdates, Phase, Withdrawal
from triplewire.rules.changes import Edits
from triplewire.rules.execution import DatasetAction, DatasetUpdate

KEY = {"Idempotency-Key": "k"}


class Gate:
    """The writer's thread stops in the gate until it is let through."""

    def __init__(self) -> None:
        self.reached, self.open = threading.Event(), threading.Event()

    def wait(self) -> None:
        self.reached.set()
        assert self.open.wait(60)

    async def wait_until_reached(self) -> None:
        assert await asyncio.to_thread(self.reached.wait, 60)


def gated(gate: Gate) -> DatasetUpdate:
    """An update that stops in the gate while it is executed, and asks whether it may go on."""

    def plan(check: Callable[[], None]) -> Edits:
        gate.wait()
        check()
        return Edits()

    return DatasetUpdate(action=DatasetAction(plan), transaction="slow")


def administrator(api: Api):
    return next(client for client in api.node.broker.state.clients.values() if client.rights.is_admin)


async def test_what_waits_for_its_turn_is_dropped_and_may_be_sent_again(tmp_path: Path) -> None:
    async with api_of(tmp_path) as api:
        await prepared(api)
        gate = Gate()
        blocked = api.node.broker.living.store.submit(lambda *_: gate.wait())
        await gate.wait_until_reached()
        waiting = asyncio.create_task(update(api, ANN, KEY))
        while (answer := await api.delete("/updates/k")).status_code == 404:
            await asyncio.sleep(0.005)  # until the update has arrived
        assert answer.json() == {"key": "k", "was": "waiting"}
        gate.open.set()
        refused = await waiting
        assert is_problem(refused, 409, "update-withdrawn")
        assert "while it waited for its turn; nothing has changed" in refused.json()["detail"]
        await asyncio.wrap_future(blocked)
        assert is_problem(await api.delete("/updates/k"), 404, "unknown-update")
        assert (await update(api, ANN, KEY)).status_code == 200
        assert is_problem(await api.delete("/updates/k"), 409, "update-ended")
        assert (await update(api, ANN, KEY)).json()["transactions"][0]["status"] == "committed", "it is kept"


async def test_what_is_executed_is_undone(tmp_path: Path) -> None:
    async with api_of(tmp_path) as api:
        await prepared(api)
        gate, rules, store = Gate(), api.node.broker.rules, api.node.broker.living.store
        was = store.read(lambda living: set(living.repository))
        insert = DatasetUpdate(
            action=DatasetAction(lambda _: Edits(inserted=(a("ann", "Person"),))), transaction="first"
        )
        client = administrator(api)
        key = IdempotencyKey(client.id, "slow", b"")
        updates = [insert, gated(gate)]
        running = asyncio.create_task(rules.update_once(client, updates, key, lambda _: b"done"))  # type: ignore[arg-type]
        await gate.wait_until_reached()
        assert await rules.withdraw(client, "slow") is Phase.EXECUTING
        gate.open.set()
        with pytest.raises(UpdateWithdrawn, match="while it was executed"):
            await running
        assert store.read(lambda living: set(living.repository)) == was
        assert is_problem(await api.get("/schedules", params={"transaction": "first"}), 404, "unknown-schedule")


async def test_a_sparql_update_can_be_withdrawn_as_well_and_only_by_its_client(tmp_path: Path) -> None:
    async with api_of(tmp_path, open=False) as api:
        one, other = await api.register(), await api.register()
        gate = Gate()
        blocked = api.node.broker.living.store.submit(lambda *_: gate.wait())
        await gate.wait_until_reached()
        headers = one | KEY | {"Content-Type": "application/sparql-update"}
        waiting = asyncio.create_task(api.post("/update", content="INSERT DATA { <urn:a> <urn:p> 1 }", headers=headers))
        while (answer := await api.delete("/updates/k", headers=one)).status_code == 404:
            assert is_problem(await api.delete("/updates/k", headers=other), 404, "unknown-update")
        assert answer.json()["was"] == "waiting"
        assert is_problem(await api.delete("/updates/k", headers=other), 404, "unknown-update")
        gate.open.set()
        assert is_problem(await waiting, 409, "update-withdrawn")
        await asyncio.wrap_future(blocked)
        assert is_problem(await api.delete("/updates/k"), 404, "unknown-update")


def test_a_withdrawal_counts_until_the_update_has_been_executed() -> None:
    waiting = Withdrawal()
    assert waiting.request() is Phase.WAITING
    with pytest.raises(UpdateWithdrawn, match="waited"), waiting.executing():
        raise AssertionError("it was not to be executed")
    late = Withdrawal()
    with pytest.raises(UpdateWithdrawn, match="was executed"), late.executing():
        late.request()
    asked = Withdrawal()
    with pytest.raises(UpdateWithdrawn, match="was executed"), asked.executing():
        asked.request() and asked.check()
    done = Withdrawal()
    with done.executing():
        pass
    assert done.request() is Phase.ENDED
    done.check()


def test_of_several_under_a_key_all_are_withdrawn_and_none_without_one() -> None:
    pending = PendingUpdates()
    assert pending.withdraw("c", "k") is None
    with pending.entered("c", "k") as one, pending.entered("c", "k") as two, pending.entered("c", None):
        assert pending.withdraw("d", "k") is None
        with pytest.raises(UpdateWithdrawn), one.executing():
            assert pending.withdraw("c", "k") is Phase.EXECUTING
        with pytest.raises(UpdateWithdrawn), two.executing():
            pass
    with pending.entered("c", "k") as three:
        with three.executing():
            three.check()
        with pytest.raises(UpdateEnded):
            pending.withdraw("c", "k")
    assert pending.withdraw("c", "k") is None
