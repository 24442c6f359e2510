"""What a peer tells, as text and numbers."""

from __future__ import annotations

from msgspec import Struct

from triplewire.errors import MessageRefused
from triplewire.federation.sites.codec.changes import (
    ChangesText,
    ClassTexts,
    EditsText,
    IndexText,
    LookupTexts,
    Name,
    Number,
    changes_of,
    changes_text,
    classes_of,
    classes_text,
    edits_of,
    edits_text,
    index_of,
    index_text,
    lines,
    lookups_of,
    lookups_text,
    moved_of,
    moved_text,
)
from triplewire.federation.sites.requests import (
    Compensated,
    Detected,
    Executed,
    FromPeer,
    Matched,
    NumberedReply,
    Refused,
    Reply,
    Report,
    ReportedUpdate,
    Told,
)
from triplewire.federation.sites.terms import delta_of, delta_text, triples_of
from triplewire.rules.paths import DeltaTerms


class ExecutedText(Struct, frozen=True, tag="executed", array_like=True):
    wanted: EditsText
    changes: ChangesText
    index: IndexText
    reads: LookupTexts = ()
    checks: LookupTexts = ()


class DetectedText(Struct, frozen=True, tag="detected", array_like=True):
    deltas: dict[Name, tuple[dict[str, str], ...]]
    classes: ClassTexts = {}
    reads: LookupTexts = ()


class RefusedText(Struct, frozen=True, tag="refused", array_like=True):
    reason: str
    violated: str | None = None


class CompensatedText(Struct, frozen=True, tag="compensated", array_like=True):
    changes: ChangesText
    index: IndexText


ReplyText = ExecutedText | DetectedText | RefusedText | CompensatedText


class NumberedReplyText(Struct, frozen=True, tag="reply", array_like=True):
    number: Number
    reply: ReplyText


class ReportedUpdateText(Struct, frozen=True, array_like=True):
    changes: ChangesText
    moved: str = ""


class ReportText(Struct, frozen=True, tag="report", array_like=True):
    wanted: EditsText
    updates: tuple[ReportedUpdateText, ...]
    changes: ChangesText
    index: IndexText
    reads: LookupTexts = ()
    checks: LookupTexts = ()
    author: str = ""
    name: str = ""


class ToldText(Struct, frozen=True, tag="told", array_like=True):
    serial: Number
    what: ReportText | NumberedReplyText


class MatchedText(Struct, frozen=True, tag="matched", array_like=True):
    query: Name
    answers: tuple[str, ...]
    after: Number = 0


FromPeerText = ToldText | MatchedText


def from_peer_text(message: FromPeer) -> FromPeerText:
    match message:
        case Told(serial, Report() as report):
            return ToldText(serial, _report_text(report))
        case Told(serial, NumberedReply(number, reply)):
            return ToldText(serial, NumberedReplyText(number, _reply_text(reply)))
        case Matched(query, answers, after):
            return MatchedText(query, tuple(map(lines, answers)), after)
    raise AssertionError("there is nothing else")


def from_peer_of(text: FromPeerText) -> FromPeer:
    match text:
        case ToldText(serial, ReportText() as report):
            return Told(serial, _report_of(report))
        case ToldText(serial, NumberedReplyText(number, reply)):
            return Told(serial, NumberedReply(number, _reply_of(reply)))
        case MatchedText(query, answers, after):
            return Matched(query, tuple(map(triples_of, answers)), after)
    raise AssertionError("there is nothing else")


def _report_text(report: Report) -> ReportText:
    return ReportText(
        edits_text(report.wanted),
        tuple(ReportedUpdateText(changes_text(one.changes), moved_text(one.moved)) for one in report.updates),
        changes_text(report.changes),
        index_text(report.index),
        lookups_text(report.reads),
        lookups_text(report.checks),
        report.author,
        report.name,
    )


def _report_of(text: ReportText) -> Report:
    return Report(
        edits_of(text.wanted),
        tuple(ReportedUpdate(changes_of(one.changes), moved_of(one.moved)) for one in text.updates),
        changes_of(text.changes),
        index_of(text.index),
        lookups_of(text.reads),
        lookups_of(text.checks),
        text.author,
        text.name,
    )


def _reply_text(reply: Reply) -> ReplyText:
    match reply:
        case Executed(wanted, changes, index, reads, checks):
            done = edits_text(wanted), changes_text(changes), index_text(index)
            return ExecutedText(*done, lookups_text(reads), lookups_text(checks))
        case Detected(deltas, classes, reads):
            texts = {rule: tuple(_required(delta_text(one)) for one in found) for rule, found in deltas.items()}
            return DetectedText(texts, classes_text(classes), lookups_text(reads))
        case Refused(reason, violated):
            return RefusedText(reason, violated)
        case Compensated(changes, index):
            return CompensatedText(changes_text(changes), index_text(index))


def _reply_of(text: ReplyText) -> Reply:
    match text:
        case ExecutedText(wanted, changes, index, reads, checks):
            done = edits_of(wanted), changes_of(changes), index_of(index)
            return Executed(*done, lookups_of(reads), lookups_of(checks))
        case DetectedText(deltas, classes, reads):
            found = {rule: tuple(map(_delta, texts)) for rule, texts in deltas.items()}
            return Detected(found, classes_of(classes), lookups_of(reads))
        case RefusedText(reason, violated):
            return Refused(reason, violated)
        case CompensatedText(changes, index):
            return Compensated(changes_of(changes), index_of(index))


def _delta(text: dict[str, str]) -> DeltaTerms:
    found = delta_of(text)
    if not found:
        raise MessageRefused("delta", wanted="what has triggered a rule", found="nothing")
    return found


def _required(text: dict[str, str] | None) -> dict[str, str]:
    assert text is not None, "there is a delta"
    return text
