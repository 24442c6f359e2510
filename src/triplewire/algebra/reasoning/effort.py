"""How much work the reasoner may still do. Containment is NP-hard; a hostile query must not hang anybody."""

from __future__ import annotations


class Effort:
    """A purse of steps. When it is empty the reasoner gives up, and giving up never means yes."""

    def __init__(self, steps: int) -> None:
        self.left = steps

    def spend(self, steps: int = 1) -> bool:
        """Pay for some steps; false once there is nothing left to pay with."""
        self.left -= steps
        return self.left >= 0

    @property
    def exhausted(self) -> bool:
        return self.left < 0
