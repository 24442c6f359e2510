"""CLIPS, by clipspy: a Rete production system, one rule a subscription, one fact a triple.

A rule's left side holds the patterns, constants first, and then the conditions as one test. Measured against tests
inside the patterns, building and matching are both faster, since all rules on a predicate share one pattern node.
Rules are loaded from a file, which CLIPS does faster than one by one. An event's triples are asserted, the agenda says
which rules they activate, and the facts are retracted.

is-a is a fact a pair of node and ancestor, asserted with the event.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

import clips

from benchmarks.rivals.ancestry import TYPE, Parents, parents_in
from benchmarks.rivals.publications import PerEvent, Triple
from benchmarks.rivals.reading import Check, Compared, Contains, Pattern, Standing, Under, is_variable, number_in, read
from benchmarks.rivals.reading import text_in as said_by
from triplewire import Subscription, Taxonomy

_TRIPLE = "(deftemplate triple (slot p) (slot o) (slot s) (slot n) (slot text))"
_ISA = "(deftemplate isa (slot cls) (slot node))"
_NOTHING = clips.Symbol("nil")
_COMPARATORS = {"!=": "<>"}


class Clips(PerEvent):
    """An environment full of rules; what activates is read off the agenda, nothing fires."""

    name = "CLIPS"

    def __init__(self) -> None:
        self._environment = clips.Environment()
        self._environment.build(_TRIPLE)
        self._environment.build(_ISA)
        self._triple = self._environment.find_template("triple")
        self._isa = self._environment.find_template("isa")
        self._parents: Parents = {}
        self._ids: list[str] = []

    def build(self, subscriptions: Iterable[Subscription], taxonomy: Taxonomy | None = None) -> None:
        self._parents = parents_in(taxonomy)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rules.clp")
            with path.open("w") as file:
                for number, subscription in enumerate(map(read, subscriptions)):
                    self._ids.append(subscription.id)
                    file.write(rule(f"r{number}", subscription))
            self._environment.load(str(path))

    def match_event(self, triples: list[Triple]) -> set[str]:
        facts = [self._triple.assert_fact(**_slots(triple)) for triple in triples]
        facts += [self._isa.assert_fact(node=node, cls=cls) for node, cls in self._classified(triples)]
        found = {self._ids[int(activation.name[1:])] for activation in self._environment.activations()}
        for fact in facts:
            fact.retract()
        return found

    def _classified(self, triples: list[Triple]) -> Iterable[tuple[str, str]]:
        """Every pair of a node of the event and something that it stands under."""
        if not self._parents:
            return {(s, o) for s, p, o in triples if p == TYPE}
        pairs: set[tuple[str, str]] = set()
        waiting = [(s, o) for s, p, o in triples if p == TYPE]
        waiting += [(node, cls) for s, _, o in triples for node in (s, o) for cls in self._parents.get(node, ())]
        while waiting:
            node, cls = waiting.pop()
            if (node, cls) not in pairs:
                pairs.add((node, cls))
                waiting.extend((node, above) for above in self._parents.get(cls, ()))
        return pairs


def rule(name: str, subscription: Standing) -> str:
    """A subscription as a rule without a right side.

    >>> print(rule("r0", Standing("s", (("?x", "<p>", "<o>"),), ())), end="")
    (defrule r0 (triple (p "<p>") (o "<o>") (s ?x)) =>)
    """
    fetched = {check.variable: check for check in subscription.checks}
    patterns = sorted(subscription.patterns, key=lambda pattern: sum(map(is_variable, pattern)))
    elements = [_element(pattern, fetched) for pattern in patterns]
    elements += [
        f"(isa (cls {_quoted(c.cls)}) (node {c.variable}))" for c in subscription.checks if isinstance(c, Under)
    ]
    tests = [_test(check) for check in subscription.checks if not isinstance(check, Under)]
    elements += [f"(test (and {' '.join(tests)}))"] if len(tests) > 1 else [f"(test {test})" for test in tests]
    return f"(defrule {name} {' '.join(elements)} =>)\n"


def _element(pattern: Pattern, fetched: dict[str, Check]) -> str:
    subject, predicate, thing = pattern
    slots = [f"(p {_quoted(predicate)})", f"(o {_written(thing)})", f"(s {_written(subject)})"]
    check = fetched.get(thing)
    if isinstance(check, Contains):
        slots.append(f"(text {thing}.text&~nil)")
    elif check is not None and not isinstance(check, Under):
        slots.append(f"(n {thing}.n&~nil)")
    return f"(triple {' '.join(slots)})"


def _test(check: Check) -> str:
    if isinstance(check, Compared):
        comparator = _COMPARATORS.get(check.comparator.value, check.comparator.value)
        return f"({comparator} {check.variable}.n {check.number!r})"
    if isinstance(check, Contains):
        return f"(str-index {_quoted(check.text)} {check.variable}.text)"
    return f'(str-index "#integer>" {check.variable})'


def _written(term: str) -> str:
    return term if is_variable(term) else _quoted(term)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _slots(triple: Triple) -> dict[str, object]:
    subject, predicate, thing = triple
    number, text = number_in(thing), said_by(thing)
    return {
        "p": predicate,
        "o": thing,
        "s": subject,
        "n": _NOTHING if number is None else number,
        "text": _NOTHING if text is None else text,
    }
