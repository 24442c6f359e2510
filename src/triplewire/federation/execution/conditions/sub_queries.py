"""Sub-queries: those of our conditions, sent to the sites that they concern, and those of others, answered from here.

Which sites: our own peers by the annotated schema and the resource index, other super-peers by what they offer to be
read. Who is no member of the network, or of the group, at that moment is not asked; who is asked has to answer, or the
condition has failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from triplewire.federation.execution.conditions.evaluation import ConditionEvaluation, ServedQuery
from triplewire.federation.execution.effects import ToPeer
from triplewire.federation.execution.journal import Who
from triplewire.federation.execution.messages import SubAnswer, SubQuery
from triplewire.federation.execution.ordering import note_read
from triplewire.federation.execution.state import Asked, ExecutionState
from triplewire.federation.execution.units import check_names
from triplewire.federation.indexes.group_index import PeerView
from triplewire.federation.indexes.network_index import may_have
from triplewire.federation.registration.records import rule_of
from triplewire.federation.sites.privileges import Privileges
from triplewire.federation.sites.requests import Match, Matched
from triplewire.federation.sites.terms import lookup_of, lookup_text, text_of, triples_of
from triplewire.rdf.terms import NamedNode, Triple
from triplewire.rules.execution.units import Work
from triplewire.rules.graphs import Lookup
from triplewire.rules.vocabulary import TYPE

_LATE = "sites that the condition concerns have not answered in time"

# Our conditions


def pursue(state: ExecutionState, condition: ConditionEvaluation) -> None:
    """Evaluate a condition as far as it goes, and ask for what is missing."""
    while not condition.is_decided and not condition.waiting:
        only_home = condition.standing is None
        missing = condition.evaluate()
        at_home, elsewhere = condition.not_known_at_home(missing), condition.not_known_elsewhere(missing)
        condition.expect_nothing(missing, elsewhere=not only_home)
        _ask_home(state, condition, at_home)
        if not only_home:
            _ask_elsewhere(state, condition, elsewhere)


def _ask_home(state: ExecutionState, condition: ConditionEvaluation, lookups: Sequence[Lookup]) -> None:
    group, home = state.given.group, condition.home
    # Of one that is away nobody knows what it may have: it answers when it is back.
    wanted = tuple(one for one in lookups if home not in group or _concerns(one, group[home]))
    if wanted:
        condition.wait(_ask_peer(state, home, wanted, _reader(condition)), wanted, is_home=True)


def _ask_elsewhere(state: ExecutionState, condition: ConditionEvaluation, missing: Sequence[Lookup]) -> None:
    for peer, lookups in _by_peer(state, missing):
        if peer != condition.home:
            condition.wait(_ask_peer(state, peer, lookups, _reader(condition)), lookups)
    for other, lookups in _by_super_peer(state, missing):
        query = state.number()
        condition.wait(query, lookups)
        texts, rule = tuple(map(lookup_text, lookups)), condition.record.text
        state.send(other, SubQuery(query, condition.id, rule, condition.root, condition.group, texts))


def _reader(condition: ConditionEvaluation) -> Who:
    return Who(condition.id, condition.root, condition.group)


def answered(state: ExecutionState, query: str, answers: Sequence[Iterable[Triple]], *, is_complete: bool) -> None:
    """A site has answered one of our sub-queries."""
    condition = next((one for one in state.conditions.values() if query in one.waiting), None)
    if condition is None:
        return
    if not is_complete or len(answers) != len(condition.waiting[query]):
        condition.fail(_LATE)
    elif condition.answer(query, answers):
        pursue(state, condition)


def peer_left(state: ExecutionState, peer: str) -> None:
    """A peer is not in the group any more: what it had is not in the graph that conditions are about.

    Whether an event of its own still stands only it can say. It is waited for.
    """
    for query, asked in [(query, asked) for query, asked in state.asked.items() if asked.peer == peer]:
        if not _is_of_standing(state, query):
            _settle(state, query, [() for _ in asked.match.lookups])


def _is_of_standing(state: ExecutionState, query: str) -> bool:
    return any(query in one.waiting and one.standing is None for one in state.conditions.values())


# Those of others


def serve(state: ExecutionState, sender: str, asked: SubQuery) -> None:
    """Another super-peer asks what our group has."""
    check_names(asked.query, asked.reader, asked.root, asked.group)
    lookups = tuple(map(lookup_of, asked.lookups))
    until = state.now + state.given.timings.condition
    served = ServedQuery(asked.query, sender, lookups, until, {}, [set() for _ in lookups])
    who = Who(asked.reader, asked.root, asked.group)
    state.note(asked.reader, Work(rule_of(asked.rule), ()))
    for peer in state.given.group.peers:
        if any(_concerns(lookup, state.given.group[peer]) for lookup in lookups):
            served.waiting[_ask_peer(state, peer, lookups, who, state.privileges)] = peer
    state.served[asked.query] = served
    _finish(state, served)


def matched(state: ExecutionState, peer: str, found: Matched) -> None:
    """A peer has answered a sub-query."""
    known = state.asked.get(found.query)
    if known is not None and known.peer == peer:
        # Something may have been written there since we asked.
        note_read(state, peer, known.who, known.match.lookups)
        _settle(state, found.query, found.answers)


def is_due(state: ExecutionState, now: float) -> bool:
    """Whether something is to be asked again, or to be given up."""
    return (
        any(_is_unanswered(state, asked, now) for asked in state.asked.values())
        or any(served.until <= now for served in state.served.values())
        or any(condition.is_late(now) for condition in state.conditions.values())
    )


def tick(state: ExecutionState) -> None:
    """Ask again what is not answered, and give up what is late."""
    for asked in state.asked.values():
        if _is_unanswered(state, asked, state.now):
            asked.sent_at = state.now
            state.emit(ToPeer(asked.peer, asked.match))
    for served in list(state.served.values()):
        if served.until <= state.now:
            for query in served.waiting:
                state.asked.pop(query, None)
            served.waiting.clear()
            served.is_complete = False
            _finish(state, served)
    for condition in state.conditions.values():
        if condition.is_late(state.now):
            for query in condition.waiting:
                state.asked.pop(query, None)
            condition.fail(_LATE)


def _is_unanswered(state: ExecutionState, asked: Asked, now: float) -> bool:
    return now - asked.sent_at >= state.given.timings.retry


def _settle(state: ExecutionState, query: str, answers: Sequence[Sequence[Triple]]) -> None:
    del state.asked[query]
    served = next((one for one in state.served.values() if query in one.waiting), None)
    if served is None:
        answered(state, query, answers, is_complete=True)
        return
    del served.waiting[query]
    for found, triples in zip(served.found, answers, strict=True):
        found.update(triples)
    _finish(state, served)


def _finish(state: ExecutionState, served: ServedQuery) -> None:
    if not served.waiting:
        del state.served[served.query]
        answers = tuple(map(text_of, served.found))
        state.send(served.sender, SubAnswer(served.query, answers, served.is_complete))


def remote_answer(state: ExecutionState, answer: SubAnswer) -> None:
    """Another super-peer has answered one of our sub-queries."""
    answered(state, answer.query, [triples_of(text) for text in answer.answers], is_complete=answer.is_complete)


def _ask_peer(
    state: ExecutionState, peer: str, lookups: tuple[Lookup, ...], who: Who, guard: Privileges | None = None
) -> str:
    query = state.number()
    match = Match(query, lookups, guard)
    state.asked[query] = Asked(peer, match, who, state.now)
    note_read(state, peer, who, lookups)
    state.emit(ToPeer(peer, match))
    return query


# Who may have an answer


def _by_peer(state: ExecutionState, lookups: Sequence[Lookup]) -> list[tuple[str, tuple[Lookup, ...]]]:
    group = state.given.group
    found = ((peer, tuple(one for one in lookups if _concerns(one, group[peer]))) for peer in group.peers)
    return [(peer, wanted) for peer, wanted in found if wanted]


def _by_super_peer(state: ExecutionState, lookups: Sequence[Lookup]) -> list[tuple[str, tuple[Lookup, ...]]]:
    others = sorted(state.given.overlay.others)
    found: dict[str, list[Lookup]] = {}
    for lookup in lookups:
        for other in state.given.network.readable(lookup, others):
            found.setdefault(other, []).append(lookup)
    return [(other, tuple(wanted)) for other, wanted in found.items()]


def _concerns(lookup: Lookup, view: PeerView) -> bool:
    """Whether a peer may have triples for a lookup, by its annotated schema and by the resources that it references."""
    if not may_have(lookup, view.nodes):
        return False
    ends = [lookup.subject] if lookup.predicate == TYPE else [lookup.subject, lookup.target]
    return all(view.has(end) for end in ends if isinstance(end, NamedNode) and not _is_blank(end))


def _is_blank(node: NamedNode) -> bool:
    """Whether it stands for a blank node of some site, which no index lists."""
    return node.value.startswith("urn:triplewire:blank:")
