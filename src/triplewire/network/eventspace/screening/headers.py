"""Headers of events, subscriptions and rewritings from another member."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from triplewire.errors import InputError, MessageRefused
from triplewire.matching.chains.rewriting import Chain
from triplewire.network.can.geometry.space import Bounds
from triplewire.network.eventspace.causality import Stamp
from triplewire.network.eventspace.chains import chains_of
from triplewire.network.eventspace.messages import (
    CollectEvent,
    EventHeader,
    MatchRewritten,
    SentRewriting,
    SpaceSubscription,
    SubscriptionKey,
)
from triplewire.network.eventspace.screening.rows import check_event_name, term_in
from triplewire.rdf.limits import MIB

# An event of so many quadruples is larger than a message may be.
_MOST_QUADS = 16 * MIB
# Positions are counted one by one; nobody gets as far.
_MOST_POSITION = 1 << 53
# A client has been at so many nodes, at most.
_MOST_SEEN = 10_000
_MOST_NAME = 4_096
_DIGEST_BYTES = range(8, 65)


def check_header(header: EventHeader) -> None:
    """`MessageRefused` if no event has such a header."""
    check_event_name(header.event)
    check_stamp(header.stamp)
    _require(0 < header.size <= _MOST_QUADS, "header", "the size of an event", header.size)
    _require(len(header.digest) in _DIGEST_BYTES, "header", "a digest", len(header.digest))
    _require(len(header.source or "") <= _MOST_NAME, "header", "a source", "a longer one")
    try:
        datetime.fromisoformat(header.time)
    except ValueError:
        raise MessageRefused("header", wanted="the time of an event", found=repr(header.time[:80])) from None


def check_stamp(stamp: Stamp) -> None:
    """`MessageRefused` if no log has such a position."""
    check_key((stamp.origin, stamp.position))
    _require(len(stamp.seen) <= _MOST_SEEN, "header", f"at most {_MOST_SEEN:,} logs", len(stamp.seen))
    for log, position in stamp.seen:
        _require(len(log) <= _MOST_NAME, "header", "the name of a log", "a longer one")
        _require(0 <= position <= _MOST_POSITION, "header", "a position", position)


def check_key(key: SubscriptionKey) -> None:
    """`MessageRefused` if no log has such a position."""
    origin, position = key
    _require(0 < len(origin) <= _MOST_NAME and "\0" not in origin, "header", "the name of a log", repr(origin[:80]))
    _require(0 < position <= _MOST_POSITION, "header", "a position", position)


def check_subscription(subscription: SpaceSubscription) -> None:
    """`MessageRefused` if it is none that this node can read."""
    check_stamp(subscription.stamp)
    try:
        chains_of(subscription)
    except InputError as problem:
        raise MessageRefused("subscription", wanted="a subscription", found=str(problem)) from None


def check_waiting(message: MatchRewritten | CollectEvent) -> None:
    """`MessageRefused` if nothing can be waited for by it."""
    check_header(message.header)
    if isinstance(message, MatchRewritten):
        check_subscription(message.subscription)
        _check_rewriting(chains_of(message.subscription), message.rewriting)
        _require(len(message.round) <= _MOST_NAME, "rewriting", "the name of a round", "a longer one")


def check_boxes(boxes: Iterable[Bounds]) -> None:
    """`MessageRefused` if one is empty, or its ends are the wrong way round."""
    for box in boxes:
        if box.is_empty:
            raise MessageRefused("box", wanted="a box with points in it", found=str(box)[:200])


def _check_rewriting(chains: tuple[Chain, ...], rewriting: SentRewriting) -> None:
    """A rewriting must be one that its chain comes to: what is bound at a depth is known from the chain."""
    _require(0 <= rewriting.chain < len(chains), "rewriting", f"one of {len(chains)} chains", rewriting.chain)
    chain = chains[rewriting.chain]
    steps = len(chain.steps)
    _require(0 <= rewriting.depth < steps, "rewriting", f"a depth below {steps}", rewriting.depth)
    alternatives = range(len(chain.decidable[rewriting.depth]))
    is_sorted = list(rewriting.open) == sorted(set(rewriting.open))
    _require(
        bool(rewriting.open) and is_sorted and all(number in alternatives for number in rewriting.open),
        "rewriting",
        f"some of {len(alternatives)} alternatives",
        rewriting.open[:10],
    )
    names = [name for name, _ in rewriting.binding]
    known = chain.steps[rewriting.depth].known
    wanted = sorted(variable.name for variable in chain.needed[rewriting.depth] if variable in known)
    _require(sorted(names) == wanted, "rewriting", f"{wanted[:10]} bound", names[:10])
    for _, spelled in rewriting.binding:
        term_in(spelled.encode())


def _require(is_met: bool, fault: str, wanted: str, found: object) -> None:
    if not is_met:
        raise MessageRefused(fault, wanted=wanted, found=str(found))
