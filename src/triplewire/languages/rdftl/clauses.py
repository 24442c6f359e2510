"""The clauses of a preamble that are ours: the paper wants them said, and gives them no syntax."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TypeVar

from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.syntax import Abort, Coupling
from triplewire.languages.scanner import Scanner, shortened
from triplewire.rdf.terms import Literal

_WORD = re.compile(r"[A-Za-z]+")
_Choice = TypeVar("_Choice", bound=StrEnum)


def default_abort(coupling: Coupling) -> Abort:
    """Who aborts with whom where a rule does not say."""
    return Abort.INDEPENDENT if coupling is Coupling.DETACHED else Abort.MUTUAL


class RuleClauses:
    """`RULE`, `COUPLING`, `ABORT` and `PRECEDES`, each at most once."""

    def __init__(self, scanner: Scanner, terms: tokens.RdftlTerms) -> None:
        self._scanner = scanner
        self._terms = terms
        self.name: str | None = None
        self.coupling: Coupling | None = None
        self.abort: Abort | None = None
        self.precedes: tuple[str, ...] = ()

    def accept(self) -> bool:
        """Read one clause, if one stands here."""
        offset = self._scanner.offset
        if self._scanner.accept(tokens.RULE):
            self._check_first("RULE", self.name, offset)
            self.name = label(self._scanner, self._terms, "the name of the rule")
        elif self._scanner.accept(tokens.COUPLING):
            self._check_first("COUPLING", self.coupling, offset)
            self.coupling = self._choice(Coupling)
        elif self._scanner.accept(tokens.ABORT):
            self._check_first("ABORT", self.abort, offset)
            self.abort = self._choice(Abort)
        elif self._scanner.accept(tokens.PRECEDES):
            self._check_first("PRECEDES", self.precedes or None, offset)
            self.precedes = self._labels()
        else:
            return False
        return True

    def _check_first(self, clause: str, already: object, offset: int) -> None:
        if already is not None:
            raise self._scanner.problem(wanted=f"{clause} once in a preamble", found="it again", offset=offset)

    def _choice(self, choices: type[_Choice]) -> _Choice:
        offset = self._scanner.offset
        wanted = ", ".join(choices)
        word = self._scanner.expect(_WORD, f"one of {wanted}").group()
        if word.upper() not in list(choices):
            raise self._scanner.problem(wanted=f"one of {wanted}", found=shortened(word), offset=offset)
        return choices(word.upper())

    def _labels(self) -> tuple[str, ...]:
        labels = [label(self._scanner, self._terms, "the name of a rule that comes later")]
        while self._scanner.accept(tokens.COMMA):
            labels.append(label(self._scanner, self._terms, "the name of another rule that comes later"))
        return tuple(labels)


def label(scanner: Scanner, terms: tokens.RdftlTerms, wanted: str) -> str:
    """What a rule or a transaction is called: a word, or anything in quotes."""
    offset = scanner.offset
    if not scanner.sees(tokens.QUOTE):
        return scanner.expect(tokens.LABEL, wanted).group()
    found = terms.literal()
    if found is None or found != Literal(found.value) or not found.value:
        raise scanner.problem(wanted=f"{wanted}: a word, or a string that is not empty", offset=offset)
    return found.value
