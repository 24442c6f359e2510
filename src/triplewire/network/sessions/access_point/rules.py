"""Rules across super-peers, as far as a session carries them: bodies and requests that mean nothing here."""

from __future__ import annotations

from triplewire.network.sessions.access_point.effects import (
    AnswerRuleRequest,
    Effect,
    Failed,
    Outcome,
    RuleRequestAnswered,
    RulesReceived,
)
from triplewire.network.sessions.access_point.state import AccessPointState, Session
from triplewire.network.sessions.peer_messages import RuleAnswer, RuleDataRefused, RuleRequest
from triplewire.network.sessions.rule_data import RuleData


class RuleBodies:
    """Passes bodies on, both ways."""

    def __init__(self, state: AccessPointState) -> None:
        self._state = state
        self._incomplete: dict[str, Session] = {}

    def receive(self, session: Session, message: RuleData) -> list[Effect]:
        """A part of a body has come. All that is incomplete has to fit into memory."""
        most = self._state.settings.rules_waiting_bytes
        if self._waiting() + len(message.data) > most:
            session.incoming_rules.clear()
            return [session.send(RuleDataRefused(f"at most {most:,} bytes of incomplete messages about rules", "more"))]
        body = session.incoming_rules.add(message)
        if session.incoming_rules.size:
            self._incomplete[session.connection] = session
        return [] if body is None else [RulesReceived(session.peer, body)]

    def _waiting(self) -> int:
        """How many bytes are incomplete, over all sessions that have not ended."""
        for connection, session in list(self._incomplete.items()):
            if not (session.incoming_rules.size and self._state.is_current(session)):
                del self._incomplete[connection]
        return sum(session.incoming_rules.size for session in self._incomplete.values())

    def send(self, peer: str, body: bytes) -> list[Effect]:
        """Send a body to a peer, if it is on-line. Raises `LimitExceeded`."""
        session = self._state.session_of(peer)
        return [] if session is None else [session.send(part) for part in session.outgoing_rules.parts(body)]

    def request(self, session: Session, message: RuleRequest) -> list[Effect]:
        def answered(now: float, outcome: Outcome) -> list[Effect]:
            if isinstance(outcome, RuleRequestAnswered):
                return self._state.reply(session, RuleAnswer(message.request_id, outcome.body))
            found = outcome if isinstance(outcome, Failed) else Failed("an answer", "none")
            if not self._state.is_current(session):
                return []
            return session.refuse(message.request_id, found.wanted, found.found, found.again)

        return [AnswerRuleRequest(self._state.ticket(answered), session.peer, message.key, message.body)]
