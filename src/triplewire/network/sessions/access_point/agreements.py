"""Rendezvous at the owner's access point: what others want of a peer, until it uploads it; and where a peer is.

A word about a peer that has moved goes on to where it is now, and so do the agreements that wait for it.
"""

from __future__ import annotations

import msgspec

from triplewire.network.sessions.access_point.effects import Effect, Failed, ForgetAgreement, KeepAgreement, Outcome
from triplewire.network.sessions.access_point.pending_requests import Errands
from triplewire.network.sessions.access_point.records import Agreement
from triplewire.network.sessions.access_point.state import Desk, Visit, passed
from triplewire.network.sessions.access_point_messages import (
    MOST_HOPS,
    RendezvousAnswered,
    RendezvousAsked,
    ResourceUploaded,
    There,
    UploadAnswered,
    Verdict,
    Where,
)
from triplewire.network.sessions.peer_messages import Done, Locate, Located, Upload, Wanted

AGREEMENT = "agreement"
_VERDICTS = {
    Verdict.UNWANTED: "one who wants it no longer",
    Verdict.GONE: "one who has gone elsewhere",
    Verdict.FULL: "no room for it",
}


class Agreements:
    """What waits for owners, by owner, requester and the requester's identifier for it."""

    def __init__(self, desk: Desk, errands: Errands) -> None:
        self._desk = desk
        self._errands = errands
        self._waiting: dict[str, dict[tuple[str, str], Agreement]] = {}

    def load(self, agreements: tuple[Agreement, ...]) -> None:
        """Go on after a restart."""
        for agreement in agreements:
            self._put(agreement)

    # Where is the owner?

    def locate(self, now: float, visit: Visit, word: Locate) -> list[Effect]:
        """Ask the owner's access point for its address."""
        self._errands.begin(now, ("where", visit.peer, str(word.ask)), visit, word.ask)
        return passed(word.access_point, Where(self._desk.id, visit.peer, word.ask, word.owner))

    def where(self, word: Where) -> list[Effect]:
        """Say where a peer is, or let the one say that knows."""
        onward = self._onward(word.owner, word.hops)
        if onward is not None:
            return passed(onward, msgspec.structs.replace(word, hops=word.hops + 1))
        visit = self._desk.visit_of(word.owner)
        address = "" if visit is None else visit.address
        here = self._desk.id if word.owner in self._desk.guests else ""
        answer = There(word.requester, word.ask, word.owner, visit is not None, address, here)
        return passed(word.access_point, answer)

    def there(self, word: There) -> list[Effect]:
        """The answer has come."""
        errand = self._errands.end(("where", word.requester, str(word.ask)))
        if errand is None:
            return []
        if not word.access_point:
            return errand.visit.refuse(word.ask, f"the peer {word.owner}", "none of that name")
        return [errand.visit.tell(Located(word.ask, word.owner, word.is_online, word.address, word.access_point))]

    def _onward(self, peer: str, hops: int) -> str | None:
        pointer = self._desk.pointers.get(peer)
        return None if pointer is None or peer in self._desk.guests or hops >= MOST_HOPS else pointer.to

    # Agreeing

    def asked(self, now: float, word: RendezvousAsked) -> list[Effect]:
        """Remember a rendezvous until the owner has uploaded; an owner that is on-line is told at once."""
        onward = self._onward(word.owner, word.hops)
        if onward is not None:
            return passed(onward, msgspec.structs.replace(word, hops=word.hops + 1))
        problem = self._problem(word)
        if problem:
            return self._answer(word, problem)
        known = self._waiting.get(word.owner, {}).get((word.requester, word.id))
        agreed = now if known is None else known.agreed
        agreement = Agreement(word.requester, word.id, word.owner, word.access_point, word.location, agreed)
        # Counted at once, so that those that are being kept count as well.
        self._put(agreement)

        def kept(now: float, outcome: Outcome) -> list[Effect]:
            if isinstance(outcome, Failed):
                return [*self.drop(word.owner, word.requester, word.id), *self._answer(word, outcome.found)]
            if word.owner not in self._desk.guests:
                return self.asked(now, word)
            visit = self._desk.visit_of(word.owner)
            return [*self._answer(word, ""), *([] if visit is None else [visit.tell(_wanted(agreement))])]

        return [KeepAgreement(self._desk.ticket(kept), agreement)]

    def _problem(self, word: RendezvousAsked) -> str:
        waiting = self._waiting.get(word.owner, {})
        if word.owner not in self._desk.guests:
            return f"no peer {word.owner}"
        if (word.requester, word.id) not in waiting and len(waiting) >= self._desk.terms.agreements:
            return f"{len(waiting)} that wait for this owner already"
        return ""

    def _answer(self, word: RendezvousAsked, problem: str) -> list[Effect]:
        return passed(word.access_point, RendezvousAnswered(word.requester, word.id, problem))

    def arrived(self, visit: Visit) -> list[Effect]:
        """An owner is back: tell it what it must upload."""
        return [visit.tell(_wanted(agreement)) for agreement in self._waiting.get(visit.peer, {}).values()]

    # Uploading

    def upload(self, now: float, visit: Visit, word: Upload) -> list[Effect]:
        """Send an owner's upload to the requester's access point. Nobody uploads what nobody asked for."""
        agreement = self._waiting.get(visit.peer, {}).get((word.requester, word.id))
        if agreement is None:
            return visit.refuse(word.ask, "a resource that somebody wants", "one that nobody does")
        if len(word.content) > self._desk.terms.file_bytes:
            most = f"at most {self._desk.terms.file_bytes} bytes"
            return visit.refuse(word.ask, most, f"{len(word.content)}")
        self._errands.begin(now, ("upload", visit.peer, word.requester, word.id), visit, word.ask)
        uploaded = ResourceUploaded(word.requester, word.id, visit.peer, agreement.location, word.content, word.problem)
        return passed(agreement.access_point, uploaded)

    def uploaded(self, word: UploadAnswered) -> list[Effect]:
        """What became of an upload. Where the requester has gone, its next access point will ask again."""
        errand = self._errands.end(("upload", word.owner, word.requester, word.id))
        is_over = word.verdict in (Verdict.KEPT, Verdict.UNWANTED)
        dropped = self.drop(word.owner, word.requester, word.id) if is_over else []
        if errand is None:
            return dropped
        if word.verdict is Verdict.KEPT:
            return [*dropped, errand.visit.tell(Done(errand.ask))]
        return [*dropped, *errand.visit.refuse(errand.ask, "a requester who takes it", _VERDICTS[word.verdict])]

    # Forgetting

    def hand_on(self, owner: str, to: str) -> list[Effect]:
        """An owner has moved: its new access point remembers what others want of it."""
        waiting = self._waiting.pop(owner, {})
        return [
            effect
            for one in waiting.values()
            for effect in passed(to, RendezvousAsked(one.access_point, one.requester, one.id, owner, one.location, 1))
        ]

    def forget(self, owner: str) -> None:
        """An owner is forgotten; the store forgets these with it."""
        self._waiting.pop(owner, None)

    def drop(self, owner: str, requester: str, agreement_id: str) -> list[Effect]:
        """One is over, or its time is up."""
        found = self._waiting.get(owner, {}).pop((requester, agreement_id), None)
        return [] if found is None else [ForgetAgreement(owner, requester, agreement_id)]

    def _put(self, agreement: Agreement) -> None:
        key = (agreement.requester, agreement.id)
        self._waiting.setdefault(agreement.owner, {})[key] = agreement
        ends = agreement.agreed + self._desk.terms.rendezvous_lasts
        self._desk.deadlines.set((AGREEMENT, agreement.owner, *key), ends)


def _wanted(agreement: Agreement) -> Wanted:
    return Wanted(agreement.requester, agreement.id, agreement.location)
