"""Random peers, rules and transactions over one small schema.

Each person is described by one peer. Rules of a run write properties of their own as often as not, so that many sets of
rules commute.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from random import Random

from triplewire.federation.sites.privileges import Access, Privileges
from triplewire.languages.rdftl import parse_rule
from triplewire.languages.rdftl.syntax import Abort, ArcAction, Coupling, Path, Rule
from triplewire.rdf.terms import Literal, NamedNode, Namespace, Triple
from triplewire.rules.analysis import Analysis
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE

EX = Namespace("http://example.org/")
MARKS = tuple(f"mark{number}" for number in range(1, 7))
_STRINGS = "".join(f"ex:{name} rdfs:domain ex:Agent ; rdfs:range xsd:string .\n" for name in ("tag", "level", *MARKS))
_PREFIXES = """
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
@prefix tw: <urn:triplewire:> .
@prefix ex: <http://example.org/> .
"""
SCHEMA = Schema.parse(f"""{_PREFIXES}
ex:Agent a rdfs:Class .
ex:Person rdfs:subClassOf ex:Agent .
ex:Expert rdfs:subClassOf ex:Person .
ex:Note a rdfs:Class .
ex:Pile rdfs:subClassOf rdf:Bag ; tw:elementClass ex:Agent .
ex:knows rdfs:domain ex:Agent ; rdfs:range ex:Agent .
ex:likes rdfs:subPropertyOf ex:knows ; rdfs:domain ex:Agent ; rdfs:range ex:Agent .
ex:about rdfs:domain ex:Note ; rdfs:range ex:Note .
{_STRINGS}""")
OWN_WORDS = (
    "",
    "",
    "ex:size rdfs:domain ex:Note ; rdfs:range xsd:string .",
    "ex:size rdfs:domain ex:Note ; rdfs:range xsd:integer .",
    "ex:size rdfs:domain ex:Note ; rdfs:range ex:Note .",
    "ex:size a rdfs:Class .",
    "ex:Memo rdfs:subClassOf ex:Paper .",
    "ex:Paper rdfs:subClassOf ex:Memo .",
)
PREAMBLE = "USING NAMESPACE ex http://example.org/ "
WORDS = ("a", "b")
LATE = "late"
"""The peer of a super-peer that joins while transactions run, if one does."""
_MOST_DRAWS = 30
_COUPLINGS = (Coupling.IMMEDIATE, Coupling.IMMEDIATE, Coupling.DEFERRED, Coupling.DETACHED)


class Theme(Enum):
    """What a run has more of than others."""

    ANY = "anything"
    REACHED = "events of arcs that make a path lead somewhere"
    DELETED = "resources that are deleted"
    UNDONE = "transactions that undo what they have done"
    FAILING = "rules that abort on purpose"


_THEMES = (Theme.ANY, Theme.ANY, *list(Theme)[1:])


class Workload:
    """What a run is made of, drawn from one generator.

    What a calm run leaves is compared with what one node leaves. So it has rules of one coupling mode that commute,
    actions that one peer can execute, and transactions of one update: what comes later in a transaction may come before
    or after what a rule does elsewhere. Only deferred rules wait for all of a transaction, here as there. Where
    something fails on purpose in a calm run, all of it fails together.
    """

    def __init__(self, rng: Random, super_peers: list[str], *, calm: bool) -> None:
        self._rng = rng
        self._calm = calm
        self._coupling = rng.choice(_COUPLINGS)
        self._theme = rng.choice(_THEMES)
        if self._theme is Theme.UNDONE:
            self._coupling = Coupling.DEFERRED
        self.fails_together = calm and self._coupling is not Coupling.DETACHED and self._theme is Theme.FAILING
        self._has_links = True
        self.peers = {f"p{n}": rng.choice(super_peers) for n in range(rng.randint(len(super_peers), 6))}
        everybody = [*self.peers, LATE]
        self.people = {peer: [f"{peer}-{n}" for n in range(rng.randint(1, 3))] for peer in everybody}

    def triples(self, peer: str) -> list[Triple]:
        """What a peer has at the beginning."""
        rng, people = self._rng, self.people[peer]
        found = [Triple(EX[one], TYPE, EX["Person"]) for one in people]
        found += [Triple(EX[one], EX["level"], Literal(rng.choice(WORDS))) for one in people]
        found += [Triple(EX[rng.choice(people)], EX["knows"], EX[rng.choice(people)]) for _ in range(2)]
        return [*found, Triple(EX[f"{peer}-pile"], TYPE, EX["Pile"])]

    def schema(self, *, is_whole: bool) -> Schema:
        """What a peer declares: all of the schema, or a part that its data at the beginning conforms to.

        Some say something of their own besides, which contradicts what others say.
        """
        if is_whole:
            return SCHEMA
        lacking = {EX[mark] for mark in self._rng.sample(MARKS, self._rng.randint(0, len(MARKS)))}
        part = (triple for triple in SCHEMA.triples if triple.subject not in lacking)
        own = self._rng.choice(OWN_WORDS)
        return Schema((*part, *Schema.parse(_PREFIXES + own).triples))

    def rules(self) -> list[tuple[Rule, Abort | None]]:
        """Some rules, with what they declare for other super-peers. Those of a calm run commute."""
        marks = self._rng.sample(MARKS, len(MARKS))
        wanted = self._rng.randint(2, 5)
        found: list[Rule] = []
        for _ in range(_MOST_DRAWS):
            rule = self._rule(f"r{len(found)}", marks[len(found)])
            if not self._calm or commute([*found, rule], SCHEMA):
                found.append(rule)
            if len(found) == wanted:
                break
        self._has_links = any(_makes_links(rule) for rule in found)
        return [(rule, Abort.MUTUAL if self.fails_together else self._abort()) for rule in found]

    def transaction(self, peer: str, number: int) -> str:
        """Updates of a peer's own people: up to three, but in a calm run only where rules are deferred."""
        most = 1 if self._calm and self._coupling is not Coupling.DEFERRED else 3
        people = [self._rng.choice(self.people[peer]) for _ in range(self._rng.randint(1, most))]
        if self._theme is Theme.UNDONE:
            people = [people[0]] * len(people)
        texts = [self._update(peer, person, f"{number}-{n}") for n, person in enumerate(people)]
        return f"{PREAMBLE} TRANSACTION t {' '.join(texts)}"

    def privileges(self, *, open_to_all: bool) -> Privileges:
        """What a group lets others do."""
        if open_to_all:
            return Privileges(otherwise=Access.READ_WRITE)
        rng, levels = self._rng, list(Access)
        names = [*MARKS, "tag", "level", "knows", "Person", "Expert"]
        people = [one for some in self.people.values() for one in some]
        return Privileges(
            {EX[name]: rng.choice(levels) for name in names if rng.random() < 0.3},
            {EX[one]: rng.choice(levels) for one in people if rng.random() < 0.2},
            {(EX[rng.choice(people)], EX["tag"]): rng.choice(levels)},
            rng.choice((Access.READ_ONLY, Access.READ_WRITE)),
        )

    # Rules

    def _rule(self, name: str, mark: str) -> Rule:
        rng = self._rng
        coupling = self._coupling if self._calm else rng.choice(_COUPLINGS)
        dependency = Abort.MUTUAL if self.fails_together else rng.choice(list(Abort))
        clauses = f"RULE {name} COUPLING {coupling} ABORT {dependency}"
        if name != "r0" and rng.random() < 0.3:
            clauses += " PRECEDES r0"
        event = self._event()
        # A copy of all actions is executed at one peer: what is spread over several has to be several rules.
        actions = "; ".join(self._action(mark) for _ in range(1 if self._calm else rng.randint(1, 2)))
        if self._fails(name):
            actions = rng.choice(("ABORT 'no'", f"{actions}; ABORT 'no'"))
        return parse_rule(f"{clauses} {PREAMBLE} ON {event} IF {self._condition()} DO {actions}")

    def _fails(self, name: str) -> bool:
        """Whether a rule aborts on purpose."""
        if self._calm:
            return self.fails_together and (name == "r0" or self._rng.random() < 0.2)
        return self._theme is Theme.FAILING and self._rng.random() < 0.3

    def _event(self) -> str:
        rng = self._rng
        if self._theme is Theme.REACHED and rng.random() < 0.7:
            return f"INSERT resource(){self._reached()} AS INSTANCE OF {rng.choice(('Person', 'Agent', 'Expert'))}"
        if self._theme is Theme.DELETED and rng.random() < 0.7:
            return f"DELETE resource() AS INSTANCE OF {rng.choice(('Person', 'Agent', 'Expert'))}"
        # What other rules write may trigger as well.
        earlier = rng.choice(MARKS)
        return rng.choice(
            (
                "INSERT resource() AS INSTANCE OF Expert",
                f"INSERT (_, ex:tag, '{rng.choice(WORDS)}')",
                "INSERT (_, ex:tag, _)",
                f"DELETE (_, ex:tag, '{rng.choice(WORDS)}')",
                "INSERT (_, ex:knows, _)",
                f"INSERT (_, ex:{earlier}, _)",
                f"INSERT ({self._person()}, ex:tag, _)",
            )
        )

    def _reached(self) -> str:
        word = self._rng.choice(WORDS)
        paths = (
            f"[target(ex:tag) = '{word}']",
            f"[target(ex:knows)/target(ex:level) = '{word}']",
            "[target(ex:knows)]",
        )
        return self._rng.choice(paths)

    def _condition(self) -> str:
        if self._theme is Theme.DELETED and self._rng.random() < 0.6:
            return f"$delta/target(ex:{self._rng.choice(('level', 'tag'))}) = '{self._rng.choice(WORDS)}'"
        return self._rng.choice(
            (
                "True",
                "True",
                "$delta/target(ex:level)",
                f"{self._person()}/target(ex:level) = '{self._rng.choice(WORDS)}'",
                f"not {self._person()}/target(ex:tag) = '{self._rng.choice(WORDS)}'",
                "$delta/source(ex:knows)",
                "$delta[target(ex:knows) or target(ex:level)]",
            )
        )

    def _action(self, mark: str) -> str:
        rng = self._rng
        choices = [
            f"INSERT ($delta, ex:{mark}, '{rng.choice(WORDS)}')",
            f"INSERT ($delta, ex:{mark}, '{rng.choice(WORDS)}')",
            f"INSERT ({self._person()}, ex:{mark}, 'x')",
        ]
        if self._theme is not Theme.DELETED:
            choices += [f"INSERT ({self._person()}, ex:likes, $delta)", f"INSERT ({self._pile()}, seq++, $delta)"]
        if not self._calm or rng.random() < 0.2:
            choices += [
                f"DELETE (_, ex:tag, '{rng.choice(WORDS)}')",
                f"UPDATE ({self._person()}, ex:level, _ -> '{rng.choice(WORDS)}')",
                "INSERT (_, ex:tag, 'c')",
            ]
        if not self._calm:
            # A person is no note: it is refused, and what came before it compensated.
            choices += [f"INSERT ({self._person()}, ex:{mark}, 'y'); INSERT ({self._person()}, ex:about, $delta)"]
        return rng.choice(choices)

    # Updates

    def _update(self, peer: str, person: str, name: str) -> str:
        rng, own = self._rng, f"resource({EX[person].value})"
        choices = [
            f"INSERT ({own}, ex:tag, '{rng.choice(WORDS)}');;",
            f"INSERT ({own}, ex:tag, '{rng.choice(WORDS)}');;",
            f"DELETE ({own}, ex:tag, _);;",
            f"INSERT {own} AS INSTANCE OF Expert;;",
            f"INSERT resource({EX[f'{peer}-new-{name}'].value}) AS INSTANCE OF Expert;;",
            f"INSERT ({own}, ex:knows, {own});;",
            f"UPDATE ({own}, ex:level, _ -> '{rng.choice(WORDS)}');;",
        ]
        match self._theme if rng.random() < 0.8 else Theme.ANY:
            case Theme.REACHED:
                choices = choices[:2]
            case Theme.UNDONE:
                choices = [choices[0], choices[2], choices[3], f"DELETE {own} AS INSTANCE OF Expert;;"]
            case Theme.DELETED:
                choices = [choices[3], f"DELETE {own} AS INSTANCE OF Expert;;"]
                # What others have of a resource that is gone stays where it is, other than on one node.
                if not (self._calm and self._has_links):
                    choices += [f"DELETE {own};;"] * 2
        if not self._calm and rng.random() < 0.15:
            # A person is no note. Who goes, and comes back, takes the ground from others or gives it to them.
            choices = [f"INSERT ({own}, ex:about, {own});;", f"DELETE {own};;", f"INSERT {own} AS INSTANCE OF Person;;"]
        return rng.choice(choices)

    def _person(self) -> str:
        peer = self._rng.choice(list(self.peers if self._calm else self.people))
        return f"resource({EX[self._rng.choice(self.people[peer])].value})"

    def _pile(self) -> str:
        return f"resource({EX[f'{self._rng.choice(list(self.people))}-pile'].value})"

    def _abort(self) -> Abort | None:
        choices: list[Abort | None] = [None, *Abort]
        return self._rng.choice(choices)


def commute(rules: Sequence[Rule], schema: Schema) -> bool:
    """Whether the analysis says that the order of these rules, and of copies of their actions, does not matter."""
    analysis = Analysis(rules, schema)
    if analysis.conflicts or not analysis.termination:
        return False
    return all(analysis.well_defined(rule.id).holds for rule in rules)


def is_element_of_pile(triple: Triple) -> bool:
    """Whether it is an element of a bag: which one it is depends on the order of things."""
    return isinstance(triple.subject, NamedNode) and triple.subject.value.endswith("-pile") and triple.predicate != TYPE


def _makes_links(rule: Rule) -> bool:
    """Whether its actions may make arcs to a resource of another peer."""
    arcs = (arc for action in rule.actions if isinstance(action, ArcAction) for arc in action.arcs)
    return any(isinstance(arc.target, Path) for arc in arcs)
