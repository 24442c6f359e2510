"""The worker: a process with the node's zones and quadruples, as a member of the space.

It is started by the node (`process`) with a pipe, and ends when the pipe does. Everything that it acknowledged is on
its disk, so it can be killed at any moment.

Resource handling: while a batch is at work, the next one gathers, up to a bound (`inbox`). While the node does not read
what it is told, no batch is begun.
"""

from __future__ import annotations

import asyncio
import logging
import random
import time
from pathlib import Path

import msgspec

from triplewire.errors import FolderInUse, NetworkError, StoreError
from triplewire.network.can.messages import Address
from triplewire.network.can.timings import Timings
from triplewire.network.eventspace.member import SpaceMember
from triplewire.network.eventspace.strategy import PublicationStrategy
from triplewire.node.logs import OneLine, configure
from triplewire.node.space.worker.inbox import Inbox
from triplewire.node.space.worker.pipe import Pipe
from triplewire.node.space.worker.shell import MemberShell
from triplewire.node.space.worker.transport import SpaceTransport
from triplewire.node.space.worker_messages import Begin
from triplewire.node.transport.keys import KeyPair
from triplewire.store.space import SpaceDatabase
from triplewire.system.supervisor import Supervisor

_log = logging.getLogger(__name__)

_OPEN_SECONDS = 10.0
_LOOK_SECONDS = 0.05


async def run() -> None:
    """Take part in a space until the node ends."""
    pipe = await Pipe.open()
    match await pipe.read():
        case [Begin() as begin, *first]:
            pass
        case _:
            return
    storage = await _opened(Path(begin.folder))
    transport = SpaceTransport(KeyPair.of(begin.server_secret), KeyPair.of(begin.own_secret))
    tasks = Supervisor()
    try:
        _listen(transport, begin)
        shell = MemberShell(_member(begin, storage, transport.address), transport, pipe.write)
        inbox = Inbox(transport.pause, transport.resume)
        inbox.requested(first)
        await shell.start(begin.seeds)
        transport.start(inbox.received)
        following = tasks.start("requests of the node", pipe.follow(inbox.requested))
        following.add_done_callback(lambda _: inbox.end())
        while not inbox.has_ended:
            await shell.turn(await inbox.take(shell.until_tick))
            await pipe.drain()
    except ConnectionError:
        # The node has ended without a word.
        return
    finally:
        await tasks.stop()
        await transport.stop()
        storage.close()


def scaled_timings(factor: float) -> Timings:
    """The default timings, all of them multiplied by a factor.

    >>> scaled_timings(2.0).heartbeat
    2.0
    """
    return Timings(**{name: value * factor for name, value in msgspec.structs.asdict(Timings()).items()})


def _member(begin: Begin, storage: SpaceDatabase, address: str) -> SpaceMember:
    me = Address(KeyPair.of(begin.own_secret).member, address)
    rng = random.Random(random.SystemRandom().getrandbits(64))
    return SpaceMember(me, storage, rng, scaled_timings(begin.patience), PublicationStrategy(begin.strategy))


async def _opened(folder: Path) -> SpaceDatabase:
    """Open the storage; a worker whose node was killed a moment ago may still hold it."""
    deadline = time.monotonic() + _OPEN_SECONDS
    while True:
        try:
            return SpaceDatabase(folder)
        except FolderInUse:
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(_LOOK_SECONDS)


def _listen(transport: SpaceTransport, begin: Begin) -> None:
    try:
        transport.listen(begin.address)
    except NetworkError:
        if begin.is_fixed:
            raise
        host = begin.address.rpartition(":")[0]
        transport.listen(f"{host}:0")


def main() -> None:
    """Run the worker, and end with an error if its disk fails."""
    configure(OneLine())
    try:
        with asyncio.Runner() as runner:
            runner.run(run())
    except (StoreError, NetworkError) as problem:
        _log.critical("the worker of the space ends: %s", problem)
        raise SystemExit(1) from None


if __name__ == "__main__":
    main()
