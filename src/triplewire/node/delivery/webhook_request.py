"""One signed request to one receiver: resolve once, check the address, connect to it, follow nothing.

Names are resolved off the event loop, in threads of their own: a name server that hangs keeps only these waiting.
Before a webhook is stored its address gets a challenge, a signed message with a random word, and must answer with that
word (row A14): nobody can point a node at a server that does not know about it.

Failure policy: whatever keeps a 2xx answer from arriving in time is a `DeliveryFailed` that says what happened; an
address that is not permitted is an `AddressRefused`. The whole request, resolving included, has one deadline, so that
a receiver that answers a byte a minute is cut off like one that is silent.
"""

from __future__ import annotations

import asyncio
import hmac
import socket
import ssl
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import httpx
import msgspec
from msgspec import Struct

from triplewire.errors import DeliveryFailed
from triplewire.node.delivery.addresses import Loopback, WebhookTarget, permitted
from triplewire.wire.signatures import hub_signature, signed_headers

# As Standard Webhooks has it, as WebSub has it, or not at all.
Signing = Literal["standard", "hub", "none"]
MAX_ANSWER_BYTES = 16 * 1024
# From a host and a port to the addresses it has now, as text.
Resolve = Callable[[str, int], Awaitable[list[str]]]


class Message(Struct, frozen=True):
    """What is sent. The identity is the same each time that it is sent; `link` is a header of that name."""

    target: WebhookTarget
    secret: str | None
    identity: str
    body: bytes
    media_type: str = "application/json"
    signing: Signing = "standard"
    link: str | None = None
    method: str = "POST"

    def headers(self, timestamp: int) -> dict[str, str]:
        """What says whose the message is, and what it is."""
        found = {"host": self.target.host_header, "user-agent": "triplewire"}
        found |= {"content-type": self.media_type} if self.body else {}
        found |= {} if self.link is None else {"link": self.link}
        if self.secret is None or self.signing == "none":
            return found
        if self.signing == "hub":
            return found | hub_signature(self.secret, self.body)
        return found | signed_headers(self.secret, self.identity, timestamp, self.body)


class Poster:
    """Sends messages. `wall_clock` dates signatures only; the deadline is the event loop's, which is monotonic."""

    def __init__(
        self, *, resolve: Resolve, wall_clock: Callable[[], float], loopback: Loopback, timeout: float
    ) -> None:
        self._resolve = resolve
        self._wall_clock = wall_clock
        self._loopback = loopback
        self._timeout = timeout
        self._client = http_client()

    async def post(self, message: Message) -> bytes:
        """The beginning of the receiver's answer, if it is a 2xx."""
        try:
            async with asyncio.timeout(self._timeout):
                return await self._send(message)
        except TimeoutError:
            raise DeliveryFailed(wanted=f"an answer within {self._timeout:g} s", found="none") from None
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ssl.SSLError) as error:
            raise DeliveryFailed(f"no answer: {type(error).__name__}: {error}") from None

    async def _send(self, message: Message) -> bytes:
        target = message.target
        address = permitted(await self._resolve(target.host, target.port), target, self._loopback)
        headers = message.headers(int(self._wall_clock()))
        extensions = {"sni_hostname": target.host}
        request = self._client.build_request(
            message.method, target.url_at(address), headers=headers, content=message.body, extensions=extensions
        )
        response = await self._client.send(request, stream=True)
        try:
            return await _accepted(response)
        finally:
            await response.aclose()

    async def close(self) -> None:
        await self._client.aclose()


def http_client() -> httpx.AsyncClient:
    """No proxies, no redirects, no connection kept: a kept one was proven for one name, not for all at its address."""
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    # The one deadline of `Poster.post` covers every phase.
    return httpx.AsyncClient(trust_env=False, follow_redirects=False, limits=limits, timeout=None)


async def _accepted(response: httpx.Response) -> bytes:
    if response.is_redirect:
        raise DeliveryFailed(wanted="a 2xx answer", found=str(response.status_code), hint="redirects are not followed")
    if not response.is_success:
        raise DeliveryFailed(wanted="a 2xx answer", found=str(response.status_code))
    answer = bytearray()
    # Raw: what a receiver compresses is not unpacked here.
    async for piece in response.aiter_raw():
        answer += piece
        if len(answer) > MAX_ANSWER_BYTES:
            break
    return bytes(answer[:MAX_ANSWER_BYTES])


# Names


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


# Challenges


def challenge_body(subscription: str, word: str) -> bytes:
    """What is sent: `{"type":"challenge","subscription":...,"challenge":...}`."""
    return msgspec.json.encode({"type": "challenge", "subscription": subscription, "challenge": word})


def check_answer(word: str, answer: bytes) -> None:
    """The receiver must answer with the word, bare or as `{"challenge": word}`."""
    if not hmac.compare_digest(word.encode(), _word_in(answer)):
        raise DeliveryFailed(wanted="the challenge's word in the answer", found="something else")


def _word_in(answer: bytes) -> bytes:
    try:
        found: Any = msgspec.json.decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return answer.strip()
    if isinstance(found, dict):
        found = found.get("challenge")
    return found.encode() if isinstance(found, str) else b""
