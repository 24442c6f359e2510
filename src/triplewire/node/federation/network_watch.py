"""The network as the machine is told of it: an input whenever it is another one than before."""

from __future__ import annotations

from triplewire.federation.inputs import NetworkChanged
from triplewire.federation.overlay import CubeOverlay
from triplewire.network.hypercube.members import Members


class NetworkWatch:
    """What was said last, so that nothing is said twice."""

    def __init__(self, me: str) -> None:
        self._me = me
        self._said: tuple[object, ...] = ()

    def news(self, now: float, members: Members) -> NetworkChanged | None:
        """The network as it is now, if the machine does not know it like that."""
        cube = CubeOverlay(self._me, members)
        seen = (tuple(sorted(cube.others)), tuple(cube.members), tuple(cube.onward()))
        if seen == self._said:
            return None
        self._said = seen
        return NetworkChanged(now, *seen)
