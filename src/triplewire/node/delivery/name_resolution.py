"""Names to addresses, off the event loop, in threads of its own: a name server that hangs keeps only these waiting."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor


class Resolver:
    """The system's resolver: it also reads the forms of addresses that `ipaddress` does not."""

    def __init__(self, threads: int) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="resolve")

    async def __call__(self, host: str, port: int) -> list[str]:
        found = await asyncio.get_running_loop().run_in_executor(self._pool, _addresses, host, port)
        return list(dict.fromkeys(found))

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)


def _addresses(host: str, port: int) -> list[str]:
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
