"""Rendezvous at the requester's access point: what its peers wished for, and the rendezvous directory.

A file is taken only if the peer asked this owner for it. It is kept until the peer says that it is safe, also where it
was forwarded at once; and not for ever.
"""

from __future__ import annotations

from collections.abc import Callable

from triplewire.network.sessions.access_point.effects import (
    Content,
    Effect,
    Failed,
    ForgetFile,
    ForgetWish,
    KeepFile,
    KeepWish,
    Outcome,
    ReadFile,
)
from triplewire.network.sessions.access_point.pending_requests import Errands
from triplewire.network.sessions.access_point.records import RendezvousFile, Wish
from triplewire.network.sessions.access_point.state import Desk, Visit, passed
from triplewire.network.sessions.access_point_messages import (
    RendezvousAnswered,
    RendezvousAsked,
    ResourceUploaded,
    UploadAnswered,
    Verdict,
)
from triplewire.network.sessions.peer_messages import Collect, Collected, Done, Ready, Request, Resource

WISH, FILE = "wish", "file"


class Rendezvous:
    """Wishes and files, by peer and by the identifier that the peer chose."""

    def __init__(self, desk: Desk, errands: Errands) -> None:
        self._desk = desk
        self._errands = errands
        self._wishes: dict[str, dict[str, Wish]] = {}
        self._files: dict[str, dict[str, RendezvousFile]] = {}
        self._arriving: dict[str, set[str]] = {}

    def load(self, wishes: tuple[Wish, ...], files: tuple[RendezvousFile, ...]) -> None:
        """Go on after a restart."""
        for wish in wishes:
            self._put_wish(wish)
        for file in files:
            self._put_file(file)

    # Wishing

    def request(self, now: float, visit: Visit, word: Request) -> list[Effect]:
        """Remember what a peer wishes, then ask the owner's access point to."""
        wishes = self._wishes.get(visit.peer, {})
        if word.id in self._files.get(visit.peer, {}):
            return [visit.tell(Done(word.ask))]
        if word.id not in wishes and len(wishes) >= self._desk.terms.wishes:
            return visit.refuse(word.ask, f"at most {self._desk.terms.wishes} rendezvous", "one more")
        asked = wishes[word.id].asked if word.id in wishes else now
        wish = Wish(visit.peer, word.id, word.owner, word.access_point, word.location, asked)
        self._put_wish(wish)

        def kept(now: float) -> list[Effect]:
            if visit.peer not in self._desk.guests:
                return []
            self._errands.begin(now, ("rendezvous", wish.requester, wish.id), visit, word.ask)
            question = RendezvousAsked(self._desk.id, wish.requester, wish.id, wish.owner, wish.location)
            return passed(wish.access_point, question)

        return [KeepWish(self._desk.ticket(self._desk.after(visit, word.ask, kept)), wish)]

    def answered(self, word: RendezvousAnswered) -> list[Effect]:
        """The owner's access point has remembered it, or refused."""
        errand = self._errands.end(("rendezvous", word.requester, word.id))
        if not word.problem:
            return [] if errand is None else [errand.visit.tell(Done(errand.ask))]
        wish = self._wishes.get(word.requester, {}).get(word.id)
        dropped = [] if wish is None else self._drop_wish(wish.requester, wish.id)
        told = [] if errand is None else errand.visit.refuse(errand.ask, "a rendezvous", word.problem)
        return [*dropped, *told]

    # Files

    def uploaded(self, now: float, sender: str, word: ResourceUploaded) -> list[Effect]:
        """Take a file that a peer wished for, and say what became of it."""
        verdict = self._verdict(word)
        if verdict is not None:
            return self._say(sender, word, verdict)
        file = RendezvousFile(
            word.requester, word.id, word.owner, word.location, len(word.content), now, problem=word.problem
        )
        return self._keep_file(file, word.content, lambda verdict: self._say(sender, word, verdict))

    def _keep_file(self, file: RendezvousFile, content: bytes, say: Callable[[Verdict], list[Effect]]) -> list[Effect]:
        arriving = self._arriving.setdefault(file.requester, set())
        arriving.add(file.id)

        def kept(now: float, outcome: Outcome) -> list[Effect]:
            arriving.discard(file.id)
            if isinstance(outcome, Failed):
                return say(Verdict.FULL)
            if file.requester not in self._desk.guests:
                return say(Verdict.GONE)
            self._put_file(file)
            self._wishes.get(file.requester, {}).pop(file.id, None)
            return [*say(Verdict.KEPT), *self._forward(file, content)]

        return [KeepFile(self._desk.ticket(kept), file, content)]

    def _verdict(self, word: ResourceUploaded) -> Verdict | None:
        """What there is to say without keeping anything."""
        files = self._files.get(word.requester, {})
        wish = self._wishes.get(word.requester, {}).get(word.id)
        if word.requester not in self._desk.guests:
            return Verdict.GONE
        if word.id in files:
            return Verdict.KEPT
        if wish is None or (wish.owner, wish.location) != (word.owner, word.location):
            return Verdict.UNWANTED
        count = len(files) + len(self._arriving.get(word.requester, ()))
        if count >= self._desk.terms.files or len(word.content) > self._desk.terms.file_bytes:
            return Verdict.FULL
        return None

    def _say(self, sender: str, word: ResourceUploaded, verdict: Verdict) -> list[Effect]:
        return passed(sender, UploadAnswered(word.requester, word.id, word.owner, verdict))

    def _forward(self, file: RendezvousFile, content: bytes) -> list[Effect]:
        """To a requester that is on-line the file goes at once."""
        visit = self._desk.visit_of(file.requester)
        return [] if visit is None else [visit.tell(_resource(file, content))]

    def arrived(self, visit: Visit) -> list[Effect]:
        """A peer is back: tell it which files wait for it."""
        files = self._files.get(visit.peer, {}).values()
        return [visit.tell(Ready(file.id, file.owner, file.location, file.size)) for file in files]

    def collect(self, visit: Visit, word: Collect) -> list[Effect]:
        """Send a file."""
        file = self._files.get(visit.peer, {}).get(word.id)
        if file is None:
            return visit.refuse(word.ask, f"the rendezvous file {word.id}", "none")

        def read(now: float, outcome: Outcome) -> list[Effect]:
            if not self._desk.is_current(visit):
                return []
            if isinstance(outcome, Content):
                return [visit.tell(_resource(file, outcome.content)), visit.tell(Done(word.ask))]
            return visit.refuse(word.ask, f"the rendezvous file {word.id}", "none")

        return [ReadFile(self._desk.ticket(read), visit.peer, word.id)]

    def collected(self, visit: Visit, word: Collected) -> list[Effect]:
        """A file is safe with its peer."""
        return self._drop_file(visit.peer, word.id)

    def has_files(self, peer: str) -> bool:
        return bool(self._files.get(peer))

    # Forgetting

    def forget(self, peer: str) -> None:
        """A peer is forgotten; the store forgets these with it."""
        for kept in (self._wishes, self._files, self._arriving):
            kept.pop(peer, None)

    def expire_wish(self, now: float, requester: str, wish_id: str) -> list[Effect]:
        """An owner has not come back in time; the requester is told so, now or on its return."""
        wish = self._wishes.get(requester, {}).get(wish_id)
        if wish is None:
            return []
        file = RendezvousFile(requester, wish_id, wish.owner, wish.location, 0, now, "the owner did not return in time")
        return self._keep_file(file, b"", lambda verdict: [])

    def expire_file(self, requester: str, file_id: str) -> list[Effect]:
        return self._drop_file(requester, file_id)

    def _put_wish(self, wish: Wish) -> None:
        self._wishes.setdefault(wish.requester, {})[wish.id] = wish
        self._desk.deadlines.set((WISH, wish.requester, wish.id), wish.asked + self._desk.terms.rendezvous_lasts)

    def _put_file(self, file: RendezvousFile) -> None:
        self._files.setdefault(file.requester, {})[file.id] = file
        self._desk.deadlines.set((FILE, file.requester, file.id), file.kept + self._desk.terms.rendezvous_lasts)

    def _drop_wish(self, requester: str, wish_id: str) -> list[Effect]:
        wish = self._wishes.get(requester, {}).pop(wish_id, None)
        return [] if wish is None else [ForgetWish(requester, wish_id)]

    def _drop_file(self, requester: str, file_id: str) -> list[Effect]:
        file = self._files.get(requester, {}).pop(file_id, None)
        return [] if file is None else [ForgetFile(requester, file_id)]


def _resource(file: RendezvousFile, content: bytes) -> Resource:
    return Resource(file.id, file.owner, file.location, content, file.problem)
