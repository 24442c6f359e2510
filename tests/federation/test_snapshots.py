"""A snapshot has everything, is refused where it is damaged, and one of an earlier version is read as it was.

If the last of these fails, values lie elsewhere than they did. Where old snapshots cannot be read any more, raise
`snapshots.FORMAT`; in either case record what holds from now on:

    python -c "from tests.federation.test_snapshots import record; record()"
"""

from __future__ import annotations

import base64
import io
import os
import pickle
import zlib
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from tests.federation.federation import PREAMBLE, a, called
from tests.federation.machines import Machines, state
from tests.rules.family import FAMILY

from triplewire.errors import SnapshotError
from triplewire.federation import snapshots
from triplewire.federation.inputs import PeerLeft, Register, Submit, Tick, Unregister
from triplewire.federation.machine import MachineSetup, RuleMachine
from triplewire.federation.policy import Policy
from triplewire.federation.registration.precedence import Scheme
from triplewire.federation.timings import FederationTimings
from triplewire.rules.execution.units import Work

_FOLDER = Path(__file__).parents[1] / "fixtures" / "federation"
_SNAPSHOT = _FOLDER / "snapshot.b64"
_STATE = _FOLDER / "snapshot.txt"

ANN, BOB = "resource(http://example.org/ann)", "resource(http://example.org/bob)"


def in_the_middle() -> RuleMachine:
    """A machine in the middle of everything: others do not answer, a peer is gone, conditions and units wait."""
    all_of_them = Machines("a", "b", "c")
    all_of_them.peer("a", a("ann", "Person"), called("ann", "Ann"))
    all_of_them.peer("b", a("bob", "Person"))
    all_of_them.rule("a", f"ON INSERT resource() AS INSTANCE OF Worker IF True DO INSERT ({BOB}, ex:name, 'x')")
    gone = all_of_them.rule("a", "ON INSERT resource() AS INSTANCE OF Parent IF True DO INSERT ($delta, ex:name, 'y')")
    all_of_them.submit("a", f"INSERT {ANN} AS INSTANCE OF Worker;;")
    all_of_them.take("a", Unregister(1.0, gone))
    all_of_them.unreachable |= {"b", "c"}
    asks = f"ON INSERT (_, ex:name, _) IF {BOB}/target(ex:name) = 'x' DO INSERT ($delta.source, ex:age, 7)"
    all_of_them.take("a", Register(2.0, f"RULE 'asks' COUPLING DEFERRED {PREAMBLE}{asks}", 3.0, "ann"))
    all_of_them.take("a", Submit(3.0, "a", f"{PREAMBLE} INSERT ({ANN}, ex:name, 'new');;"))
    all_of_them.take("a", Submit(3.0, "a", f"{PREAMBLE} DELETE ({ANN}, ex:name, 'Ann');;"))
    all_of_them.unreachable.add("a")
    all_of_them.take("a", Submit(3.5, "a", f"{PREAMBLE} INSERT ({ANN}, ex:age, 8);;"))
    all_of_them.take("a", Tick(4.0))
    all_of_them.take("a", PeerLeft(4.5, "a"))
    return all_of_them.machines["a"]


def record() -> None:
    """Write what this version writes."""
    data = in_the_middle().snapshot()
    _FOLDER.mkdir(exist_ok=True)
    _SNAPSHOT.write_text(base64.encodebytes(data).decode())
    _STATE.write_text("".join(f"{line}\n" for line in state(RuleMachine.restore(data))))


def test_a_snapshot_has_everything():
    machine = in_the_middle()
    assert state(RuleMachine.restore(machine.snapshot())) == state(machine)


def test_the_parts_of_what_was_restored_belong_together():
    rules = RuleMachine.restore(in_the_middle().snapshot()).rules
    given = rules.coordinator.state.given
    assert given.registrar is rules.registrar
    assert given.group is rules.group
    assert given.follow_index.__self__ is rules  # type: ignore[attr-defined]


def test_what_a_machine_was_set_up_with_stays_and_a_function_is_handed_to_it_again():
    def commutes(one: Work, other: Work) -> bool:
        return True

    policy = Policy(scheme=Scheme.OWN_FIRST, commutes=commutes, depth=7)
    setup = MachineSetup(me="a", whole=FAMILY, seed=1, policy=policy, timings=FederationTimings(retry=9.0))
    given = RuleMachine.restore(RuleMachine(setup).snapshot(), commutes).rules.coordinator.state.given
    assert (given.commutes, given.depth, given.timings.retry) == (commutes, 7, 9.0)


def test_a_snapshot_of_an_earlier_version_is_read_as_it_was():
    machine = RuleMachine.restore(base64.decodebytes(_SNAPSHOT.read_bytes()))
    assert state(machine) == _STATE.read_text().splitlines()


# What is none

DATA = in_the_middle().snapshot()
BEGIN = len(b"tw:federation:")
BODY = BEGIN + 2 + 32


def packed(body: bytes) -> bytes:
    """Behind a header that is right."""
    squeezed = zlib.compress(body)
    return DATA[: BEGIN + 2] + sha256(squeezed).digest() + squeezed


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"", "something else"),
        (DATA[1:], "something else"),
        (DATA[:BEGIN], "format 0"),
        (DATA[:BEGIN] + b"\x00\x07" + DATA[BEGIN + 2 :], "format 7"),
        (DATA[:-1], "checksum"),
        (DATA[:BODY], "checksum"),
        (DATA[: BODY + 9] + bytes([DATA[BODY + 9] ^ 1]) + DATA[BODY + 10 :], "checksum"),
        (packed(b""), "another one"),
        (packed(pickle.dumps("a state")), "another one"),
        (packed(pickle.dumps((1, 2, 3))), "another one"),
    ],
    ids=["nothing", "begun-late", "cut-early", "format", "cut", "empty", "flipped", "no-value", "text", "numbers"],
)
def test_what_is_no_snapshot_is_refused(data: bytes, found: str):
    with pytest.raises(SnapshotError) as refused:
        RuleMachine.restore(data)
    assert found in str(refused.value)


class _Calls:
    def __init__(self, function: Callable[..., object], *arguments: object) -> None:
        self.reduced = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return self.reduced


@pytest.mark.parametrize(
    "value",
    [
        _Calls(os.system, "echo hello"),
        _Calls(eval, "1"),
        _Calls(getattr, "", "join"),
        _Calls(snapshots.read, DATA, None),
        _Calls(RuleMachine.restore, DATA),
        _Calls(io.open, "/dev/null"),
        pickle.Pickler,
    ],
    ids=["system", "eval", "getattr", "snapshot", "restore", "open", "class"],
)
def test_no_code_comes_out_of_a_snapshot(value: object):
    with pytest.raises(SnapshotError, match="values only"):
        RuleMachine.restore(packed(pickle.dumps(value)))
