"""Seeded data, zones and queries in which every feature of SPARQL stands in every other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from random import Random

from triplewire.network.can.geometry.space import SPACE, Dimension, Zone, point_of
from triplewire.network.can.geometry.splits import choose_split
from triplewire.rdf.events import Event
from triplewire.rdf.terms import XSD, BlankNode, Literal, NamedNode, Quad, Term, Triple

EX = "http://example.org/"
IRIS = [NamedNode(EX + name) for name in ("a", "b", "c", "d", "a/b", "event1", "event2", "zz")]
PREDICATES = [NamedNode(EX + name) for name in ("p", "q", "r", "p1")]
TEXTS = [
    "",
    "a",
    "ab",
    "abc",
    "b",
    "m",
    "mz",
    "m\x7f",
    'm"',
    "m\n",
    "m!",
    "m ",
    "Z",
    "z",
    "é",
    "1",
    "10",
    "9",
    "\ufffe",
]
LITERALS = [
    *map(Literal, TEXTS),
    *(Literal(text, language=tag) for text in ("a", "mz", "z") for tag in ("en", "de")),
    *(
        Literal(form, datatype=XSD[name])
        for name, forms in {
            "integer": ("1", "01", "9", "10", "-3", "abc"),
            "int": ("1", "+9"),
            "decimal": ("1.0", ".5", "9"),
            "double": ("1e0", "INF", "-inf", "NaN", "1E999"),
            "boolean": ("true", "1", "0"),
            "date": ("2004-01-01", "2004-01-01Z"),
            "dateTime": ("2004-01-01T00:00:00Z", "2004-01-01T02:00:00+02:00", "2003-12-31T24:00:00Z"),
            "duration": ("P1Y", "P12M"),
        }.items()
        for form in forms
    ),
    Literal("x", datatype=NamedNode(EX + "type")),
]
VARIABLES = ("?x", "?y", "?z", "?u", "?g")
COMPARATORS = ("=", "<", "<=", ">", ">=", "!=")


def random_events(rng: Random) -> list[Event]:
    """Some events; a few terms each, so that patterns join."""
    values = [Literal(form, datatype=XSD[name]) for name, form in (("integer", "1"), ("int", "01"), ("double", "1e0"))]
    terms = [*rng.sample(IRIS, 5), *rng.sample(LITERALS, 4), *rng.sample(values, 2), BlankNode("n0"), BlankNode("n1")]
    terms.append(Triple(IRIS[0], PREDICATES[0], rng.choice(LITERALS)))
    found = []
    for number in range(1, rng.randint(2, 5)):
        rows = {_triple(terms, rng) for _ in range(rng.randint(1, 8))}
        found.append(Event.from_triples(f"{EX}event{number}", rows))
    return found


def _triple(terms: list[Term], rng: Random) -> Triple:
    subject = rng.choice([term for term in terms if isinstance(term, NamedNode | BlankNode)])
    return Triple(subject, rng.choice(PREDICATES), rng.choice(terms))


def random_zones(events: Sequence[Event], rng: Random) -> list[Zone]:
    """Zones that were split at data."""
    points = [point_of(Quad(t.subject, t.predicate, t.object, event.graph)) for event in events for t in event.triples]
    zones = [SPACE]
    for _ in range(rng.randint(0, 12)):
        zone = zones.pop(rng.randrange(len(zones)))
        split = choose_split(zone, [point for point in points if point in zone])
        zones += [zone] if split is None else split.halves(zone)
    assert len(Dimension) == 4
    return zones


def query_over(events: Sequence[Event], rng: Random) -> str:
    """A query over data, mostly with constants from it."""
    return Writer(events, rng).query()


class Writer:
    """Writes queries."""

    def __init__(self, events: Sequence[Event], rng: Random) -> None:
        self._rng = rng
        self._counted = 0
        self._triples = [triple for event in events for triple in event.triples]
        self._predicates = [str(triple.predicate) for triple in self._triples]
        self._graphs = [event.graph for event in events]

    def query(self) -> str:
        if self._rng.random() < 0.4:
            return self.chain()
        group = self.group(2)
        forms = (
            f"SELECT * WHERE {group}",
            f"SELECT * WHERE {group}",
            f"SELECT DISTINCT ?x ?y WHERE {group}",
            f"ASK {group}",
            f"CONSTRUCT {{ ?x <{EX}made> ?y . ?z <{EX}of> ?x }} WHERE {group}",
            f"SELECT (COUNT(*) AS ?n) WHERE {group}",
            f"SELECT ?x (COUNT(?y) AS ?n) WHERE {group} GROUP BY ?x HAVING (COUNT(*) > 0)",
            f"SELECT ?x WHERE {group} VALUES ?x {{ {self._constant()} {self._constant()} }}",
            f"SELECT (COUNT(*) AS ?n) WHERE {group} VALUES ?x {{ {self._constant()} }}",
        )
        return self._rng.choice(forms)

    def chain(self) -> str:
        """Patterns that share variables from one to the next, some of them optional, subtracted, or in groups."""
        rng = self._rng
        parts = []
        for one, two in pairwise(VARIABLES[:4]):
            ends = rng.choice(((one, two), (two, one), (one, one), (rng.choice(VARIABLES[:4]), two)))
            pattern = f"{ends[0]} {rng.choice((*self._predicates, '?p'))} {ends[1]}"
            around = ("{}", "{}", "{}", "OPTIONAL {{ {} }}", "OPTIONAL {{ {} }}", "{{ {} }}", "MINUS {{ {} }}")
            more = ("GRAPH ?g {{ {} }}", "{{ ?x ?p ?y OPTIONAL {{ {} }} }}", "FILTER NOT EXISTS {{ {} }}")
            parts.append(rng.choice((*around, *more)).format(pattern))
        if rng.random() < 0.4:
            parts.append(f"FILTER({self._condition(0)})")
        rng.shuffle(parts)
        return f"SELECT * WHERE {{ {' . '.join(parts)} }}"

    def group(self, depth: int) -> str:
        parts = [self._block()] if self._rng.random() < 0.85 else []
        parts += [self._part(depth - 1) for _ in range(self._rng.randint(0, depth))]
        if self._rng.random() < 0.2:
            self._rng.shuffle(parts)
        parts += [f"FILTER({self._condition(depth)})" for _ in range(self._rng.choice((0, 0, 1, 1, 2)))]
        return "{ " + " ".join(parts) + " }"

    def _part(self, depth: int) -> str:
        rng, group = self._rng, self.group(depth)
        kind = rng.randrange(12)
        if kind < 2:
            return f"OPTIONAL {group}"
        if kind == 2:
            return f"{group} UNION {self.group(depth)}"
        if kind == 3:
            return f"MINUS {group}"
        if kind == 4:
            return f"GRAPH {rng.choice((*VARIABLES, '?g', '?g', *map(str, self._graphs)))} {group}"
        if kind == 5:
            return group
        if kind == 6:
            return f"{{ SELECT {rng.choice(('*', '?x', '?x ?y', 'DISTINCT ?y'))} WHERE {group} }}"
        if kind == 7 and rng.random() < 0.5:
            # IRIs have one order, so that it is certain which of them are left.
            name = rng.choice(("?x", "?y"))
            return f"{{ SELECT DISTINCT {name} WHERE {{ {group} FILTER(isIRI({name})) }} ORDER BY {name} LIMIT 1 }}"
        if kind == 7:
            self._counted += 1
            return f"{{ SELECT ?x (COUNT(*) AS ?n{self._counted}) WHERE {group} GROUP BY ?x }}"
        if kind == 8:
            return f"VALUES (?x ?y) {{ ({self._constant()} UNDEF) ({self._constant()} {self._constant()}) }}"
        if kind == 9:
            return f"VALUES ?y {{ {self._constant()} {self._constant()} }}"
        if kind == 10:
            return f"FILTER {rng.choice(('EXISTS', 'NOT EXISTS'))} {group}"
        return self._block()

    def _block(self) -> str:
        return " ".join(f"{self._pattern()} ." for _ in range(self._rng.choice((1, 1, 2))))

    def _pattern(self) -> str:
        rng = self._rng
        triple = rng.choice(self._triples)
        subject = self._or_variable(triple.subject, 0.75)
        obj = self._or_variable(triple.object, 0.65)
        if rng.random() < 0.3:
            return f"{subject} {self._path(2)} {obj}"
        return f"{subject} {rng.choice((str(triple.predicate),) * 4 + ('?p',))} {obj}"

    def _path(self, depth: int) -> str:
        step = str(self._rng.choice(PREDICATES))
        if depth == 0:
            return step
        one, two = self._path(depth - 1), self._path(depth - 1)
        paths = (f"{one}/{two}", f"({one}|{two})", f"^({one})", f"({one})*", f"({one})+", f"({one})?")
        return "(" + self._rng.choice((*paths, f"!({step})", f"!(^{step})", f"!({step}|^<{EX}q>)", step)) + ")"

    def _or_variable(self, term: Term, share: float) -> str:
        if self._rng.random() < share or not isinstance(term, NamedNode | Literal):
            return self._rng.choice(VARIABLES[:4] if self._rng.random() < 0.95 else VARIABLES)
        return str(term)

    def _constant(self) -> Term:
        constants = [t for triple in self._triples for t in triple if isinstance(t, NamedNode | Literal)]
        return self._rng.choice([*constants, *constants, *LITERALS, *IRIS])

    def _condition(self, depth: int) -> str:
        rng = self._rng
        name, constant = rng.choice(VARIABLES), self._constant()
        text = Literal(rng.choice((*TEXTS, EX, EX + "a", EX + "a/", EX + "b", EX + "d")))
        kind = rng.randrange(11)
        if kind < 3:
            return f"{name} {rng.choice(COMPARATORS)} {constant}"
        if kind == 3:
            return f"{constant} {rng.choice(COMPARATORS)} {name}"
        if kind == 4:
            return f"STR({name}) {rng.choice(COMPARATORS)} {text}"
        if kind == 5:
            return f"STRSTARTS({rng.choice((name, f'STR({name})'))}, {text})"
        if kind == 6:
            return f"{name} IN ({constant}, {self._constant()})"
        if kind == 7:
            return f"{rng.choice(('isIRI', 'isLITERAL', 'isBLANK', 'BOUND', '!BOUND', 'isNUMERIC'))}({name})"
        if kind == 8 and depth:
            return f"{rng.choice(('', '!'))}EXISTS {self.group(0)} || {name} = {constant}"
        if kind == 9 and depth:
            return f"({self._condition(depth - 1)}) {rng.choice(('&&', '||'))} ({self._condition(depth - 1)})"
        return f"{name} {rng.choice(COMPARATORS)} {rng.choice(VARIABLES)}"
