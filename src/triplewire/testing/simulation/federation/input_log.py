"""What a simulated super-peer has on its disk of its rules: a snapshot, and the inputs after it, as bytes."""

from __future__ import annotations

from triplewire.federation.inputs import Input, decode_input
from triplewire.federation.machine import RuleMachine
from triplewire.rules.execution.units import Commutes


class InputLog:
    """Writing is a matter of whoever has it: both methods are called once that is done."""

    def __init__(self, snapshot: bytes) -> None:
        self._snapshot = snapshot
        self._inputs: list[bytes] = []

    def append(self, given: bytes) -> None:
        self._inputs.append(given)

    def begin_anew(self, snapshot: bytes) -> None:
        """A snapshot has all that was appended before."""
        self._snapshot = snapshot
        self._inputs.clear()

    @property
    def inputs(self) -> list[Input]:
        return [decode_input(data) for data in self._inputs]

    def machine(self, commutes: Commutes) -> RuleMachine:
        """The machine that has taken everything up to here."""
        machine = RuleMachine.restore(self._snapshot, commutes)
        machine.replay(self.inputs)
        return machine
