"""Events and notifications a second, by client: a bucket that fills with time and is emptied by what happens.

Events beyond the rate are refused. Notifications beyond it are put off: nobody can say how many there will be.

The time is monotonic, so a clock that jumps neither starves nor floods anybody (row F8).
"""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import QuotaExceeded
from triplewire.store.clock import Clock
from triplewire.store.tables.identities import Client

# A bucket holds this many seconds' worth, so that a burst may come at once. Of notifications less: one request can make
# thousands, before anybody could refuse it.
EVENTS_BURST = 2.0
NOTIFICATIONS_BURST = 0.5


class Bucket(Struct):
    """Tokens, and when they were counted; it holds `burst` seconds' worth."""

    tokens: float
    counted: float
    burst: float = EVENTS_BURST


def take(bucket: Bucket, wanted: int, rate: float, now: float) -> float:
    """Take tokens if there are enough, and say how long to wait otherwise; 0 means taken.

    A request larger than the bucket is let in when the bucket is full, and leaves a debt.

    >>> bucket = Bucket(tokens=2, counted=0.0)
    >>> take(bucket, 2, rate=1, now=0.0), take(bucket, 1, rate=1, now=0.0), take(bucket, 1, rate=1, now=1.0)
    (0.0, 1.0, 0.0)
    """
    most = _most(rate, bucket.burst)
    bucket.tokens = min(most, bucket.tokens + (now - bucket.counted) * rate)
    bucket.counted = now
    needed = min(wanted, most)
    if bucket.tokens < needed:
        return (needed - bucket.tokens) / rate
    bucket.tokens -= wanted
    return 0.0


def spend(bucket: Bucket, wanted: int, rate: float, now: float) -> float:
    """Take tokens whether they are there or not, and say how long it takes until the debt is paid.

    >>> bucket = Bucket(tokens=2, counted=0.0)
    >>> spend(bucket, 1, rate=1, now=0.0), spend(bucket, 4, rate=1, now=0.0), spend(bucket, 0, rate=1, now=2.0)
    (0.0, 3.0, 1.0)
    """
    bucket.tokens = min(_most(rate, bucket.burst), bucket.tokens + (now - bucket.counted) * rate) - wanted
    bucket.counted = now
    return max(0.0, -bucket.tokens / rate)


def _most(rate: float, burst: float) -> float:
    """What a bucket holds: one at least, however slow it fills."""
    return max(rate * burst, 1.0)


class Buckets:
    """A bucket for each client."""

    def __init__(self, clock: Clock, burst: float) -> None:
        self._clock = clock
        self._burst = burst
        self._buckets: dict[str, Bucket] = {}

    def take(self, client: Client, wanted: int) -> None:
        """Count events against a client's rate, or raise `QuotaExceeded`."""
        rate = client.rights.quotas.events_per_second
        if rate is None:
            return
        wait = take(self._of(client, rate), wanted, rate, self._clock.monotonic())
        if wait > 0:
            raise QuotaExceeded(
                "events_per_second",
                wanted=f"at most {rate:g} events a second",
                found="more",
                hint=f"try again in {wait:.1f} s",
                retry_after=wait,
            )

    def spend(self, client: Client, wanted: int) -> float:
        """Count notifications against a client's rate; how long it should get no more of them."""
        rate = client.rights.quotas.notifications_per_second
        if rate is None:
            return 0.0
        return spend(self._of(client, rate), wanted, rate, self._clock.monotonic())

    def available(self, client: Client) -> float:
        """How many notifications a client may get now."""
        self.spend(client, 0)
        bucket = self._buckets.get(client.id)
        return float("inf") if bucket is None else bucket.tokens

    def _of(self, client: Client, rate: float) -> Bucket:
        return self._buckets.setdefault(
            client.id, Bucket(_most(rate, self._burst), self._clock.monotonic(), self._burst)
        )
