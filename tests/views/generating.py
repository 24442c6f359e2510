"""Seeded datasets, changes and queries over the whole grammar."""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from pyoxigraph import Store
from tests.network.queries.generating import EX, LITERALS, PREDICATES, Writer

from triplewire.languages.sparql.parsing.parser import parse_dataset_query
from triplewire.languages.sparql.printing.printer import print_dataset_query
from triplewire.rdf.literals.kept import as_kept
from triplewire.rdf.terms import XSD, BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

NODES = [NamedNode(EX + name) for name in "abcd"]
GRAPHS = [NamedNode(EX + "g1"), NamedNode(EX + "g2")]
NUMBERS = [Literal(number) for number in range(4)] + [
    Literal(form, datatype=XSD[name]) for name, form in (("decimal", "1.5"), ("double", "2.5"), ("decimal", "1.0"))
]


_EXPRESSIONS = (
    "STR(?x)", "?y + 1", "?y * ?z", "IF(BOUND(?z), ?z, ?x)", "COALESCE(?z, 'none')", "?y > ?z",
    "UCASE(STR(?y))", "STRLEN(STR(?x))", "?x = ?y", "ABS(?y)", "CONCAT(STR(?x), 'x')", "DATATYPE(?y)", "?y / 2",
    "-?y", "EXISTS { ?x ?any ?y }", "IRI(CONCAT(STR(?x), 'x'))", "LANG(?y)", "REGEX(STR(?x), 'a')",
    "REPLACE(STR(?y), 'a', 'b')", "SUBSTR(STR(?x), 2)", "?y IN (?x, 1)", "sameTerm(?x, ?y)", "STRLANG(STR(?y), 'en')",
    "ROUND(?y)", "YEAR(?y)", "MD5(STR(?x))", "isNumeric(?y) && ?y >= 1", "!(?y = ?z)",
    "<http://www.w3.org/2001/XMLSchema#integer>(?y)", "NOT EXISTS { ?x ?any 1 }",
)  # fmt: skip


class World:
    """Few terms, so that patterns join, and the quads that can be made of them."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        blanks = [BlankNode("n0"), BlankNode("n1")]
        self.subjects = [*rng.sample(NODES, 3), *blanks]
        literals = [as_kept(literal) for literal in (*rng.sample(LITERALS, 2), *rng.sample(NUMBERS, 3))]
        self.objects = [*self.subjects, *literals]
        self.graphs = [DefaultGraph(), DefaultGraph(), DefaultGraph(), *GRAPHS]

    def quad(self) -> Quad:
        rng = self.rng
        return Quad(
            rng.choice(self.subjects), rng.choice(PREDICATES[:3]), rng.choice(self.objects), rng.choice(self.graphs)
        )

    def quads(self, most: int = 14) -> set[Quad]:
        return {self.quad() for _ in range(self.rng.randint(1, most))}

    def change(self, quads: set[Quad]) -> tuple[set[Quad], set[Quad]]:
        """What a transaction adds and what it removes, net."""
        rng = self.rng
        removed = set(rng.sample(sorted(quads, key=str), min(len(quads), rng.choice((0, 0, 1, 1, 2, 3)))))
        added = {self.quad() for _ in range(rng.choice((0, 1, 1, 1, 2, 3)))} - quads
        if rng.random() < 0.03:
            removed = set(quads)
        return added, removed


def store_of(quads: Iterable[Quad]) -> Store:
    store = Store()
    store.extend(quads)
    return store


def dataset_query(world: World, quads: Iterable[Quad]) -> str:
    """A query over the dataset: what `QueryWriter` writes, a DESCRIBE, a slice or a rare form, at times with FROM."""
    rng, writer = world.rng, QueryWriter(world, quads)
    kind = rng.random()
    write = (
        writer.query
        if kind < 0.6
        else writer.described
        if kind < 0.7
        else writer.sliced
        if kind < 0.85
        else writer.rare
    )
    text = write()
    query = parse_dataset_query(text)
    if rng.random() < 0.85:
        return text
    default, named = (rng.sample(GRAPHS, rng.randint(0, 2)) for _ in range(2))
    return print_dataset_query(query.over(default, named))


class QueryWriter(Writer):
    """The space's writer of queries, with the forms and functions that a view may have besides."""

    def __init__(self, world: World, quads: Iterable[Quad]) -> None:
        rows = sorted({*quads, world.quad(), world.quad()}, key=str)
        self._rng = world.rng
        self._counted = 0
        self._triples = [Triple(quad.subject, quad.predicate, quad.object) for quad in rows]
        self._predicates = [str(quad.predicate) for quad in rows]
        self._graphs = GRAPHS

    def query(self) -> str:
        rng = self._rng
        if rng.random() < 0.5:
            return super().query()
        group = self.group(2)
        group = group[:-1] + rng.choice(("", "", self._bind())) + "}"
        # Of MIN and MAX: NaN, which equals nothing, has its place in the order by our choice.
        return rng.choice(
            (
                f"SELECT * WHERE {group}",
                f"SELECT ?x WHERE {group}",
                f"SELECT ?y ?z WHERE {group}",
                f"SELECT DISTINCT ?x WHERE {group}",
                f"SELECT ?x (STR(?y) AS ?s) WHERE {group}",
                f"ASK {group}",
                f"CONSTRUCT {{ ?x <{EX}made> ?y . ?y <{EX}of> ?x . ?x ?y ?z }} WHERE {group}",
                f"SELECT ?x (SUM(?y) AS ?n) (AVG(?z) AS ?m) WHERE {group} GROUP BY ?x",
                f"SELECT ?x (SUM(DISTINCT ?y) AS ?n) (COUNT(DISTINCT ?z) AS ?m) WHERE {group} GROUP BY ?x",
                f"SELECT (COUNT(DISTINCT *) AS ?n) WHERE {group}",
                f"SELECT (MIN(?y) + 0.0 AS ?n) (MAX(?y) + 0.0 AS ?m) {{ {group} FILTER(isNumeric(?y) && ?y = ?y) }}",
                f"SELECT ?k (COUNT(?x) AS ?n) WHERE {group} GROUP BY (isIRI(?y) AS ?k) HAVING (COUNT(*) > 1)",
                f"SELECT ?x ?y WHERE {group} ORDER BY ?x ?y",
                f"SELECT * WHERE {{ ?x <{EX}p> ?y {self._part(1)} FILTER({self._condition(1)}) }}",
                f"SELECT * WHERE {{ ?x <{EX}p> ?y OPTIONAL {{ ?y <{EX}q> ?z FILTER({self._condition(1)}) }} }}",
            )
        )

    def described(self) -> str:
        group = self.group(1)
        forms = (f"?x {group}", f"<{EX}a>", f"* {group}", f"?x <{EX}b> {group}", f"?x {group} ORDER BY ?x LIMIT 2")
        return f"DESCRIBE {self._rng.choice(forms)}"

    def rare(self) -> str:
        """Forms and modifiers that stand nowhere else."""
        group, other = self.group(1), self.group(1)
        counted = f"(COUNT(*) AS ?n) WHERE {group} GROUP BY ?x"
        return self._rng.choice(
            (
                f"SELECT REDUCED ?x WHERE {group}",
                f"SELECT ?x (SAMPLE(?y) AS ?one) (GROUP_CONCAT(STR(?z)) AS ?all) WHERE {group} GROUP BY ?x",
                f'SELECT (GROUP_CONCAT(DISTINCT ?y; separator="|") AS ?all) WHERE {group}',
                f"SELECT (MIN(?y) AS ?n) (MAX(DISTINCT ?z) AS ?m) (AVG(DISTINCT ?y) AS ?a) WHERE {group}",
                f"SELECT ?x {counted} HAVING (EXISTS {other})",
                f"SELECT ?x {counted} HAVING (MAX(?y) > 1 || COUNT(DISTINCT ?z) = 1)",
                f"SELECT ?x (EXISTS {other} AS ?e) (SUM(?y) AS ?n) WHERE {group} GROUP BY ?x",
                f"SELECT (COUNT(*) * 2 + SUM(?y) AS ?n) WHERE {group} HAVING (COUNT(*) > 1)",
                f"SELECT ?k (COUNT(*) AS ?n) WHERE {group} GROUP BY (DATATYPE(?y) AS ?k) ?x ORDER BY DESC(?n) LIMIT 2",
                f"SELECT ?x ?y WHERE {group} ORDER BY EXISTS {other} ?x LIMIT 2",
                f"SELECT ?x ?y WHERE {group} ORDER BY (?y + 1) DESC(?x) LIMIT 3 OFFSET 1",
                f"SELECT DISTINCT ?x WHERE {group} ORDER BY ?y LIMIT 2",
                f"SELECT DISTINCT ?x (STR(?y) AS ?s) WHERE {group} OFFSET 1",
                f"SELECT ?x WHERE {group} VALUES (?x ?y) {{ (UNDEF {self._constant()}) ({self._constant()} UNDEF) }}",
                f"CONSTRUCT {{ _:new <{EX}of> ?x . ?x <{EX}made> _:new }} WHERE {group}",
                f"CONSTRUCT {{ ?x ?p ?y }} WHERE {group} ORDER BY ?x ?y LIMIT 2",
                f"CONSTRUCT WHERE {{ {self._block()} }}",
                f"ASK {group} GROUP BY ?x HAVING (COUNT(*) > 1)",
                f"SELECT * WHERE {{ {group} {{ {other} }} UNION {{ {self._block()} }} UNION {{ }} }}",
            )
        )

    def _part(self, depth: int) -> str:
        """Beside what stands in every query: BIND in the middle, blank nodes, and sub-selects of every kind."""
        rng = self._rng
        if rng.random() < 0.75:
            return super()._part(depth)
        self._counted += 1
        group, name = self.group(depth), f"?new{self._counted}"
        block = self._block()
        step = rng.choice(self._predicates)
        return rng.choice(
            (
                f"{{ {group} BIND({rng.choice(_EXPRESSIONS)} AS {name}) }}",
                f"{{ {group} BIND({rng.choice(_EXPRESSIONS)} AS {name}) {block} }}",
                f"?x {step} [ {rng.choice(self._predicates)} ?y ] .",
                f"[] {step} ?x .",
                f"OPTIONAL {{ ?x {step} [] FILTER({self._condition(0)}) }}",
                f"{{ SELECT ?x (SUM(?y) AS {name}) WHERE {group} GROUP BY ?x HAVING (COUNT(*) > 1) }}",
                f"{{ SELECT (MAX(?y) AS {name}) ?x WHERE {group} GROUP BY ?x }}",
                f"{{ SELECT REDUCED ?x (?y AS {name}) WHERE {group} }}",
                f"{{ SELECT ?x ?y WHERE {group} ORDER BY DESC(?y) ?x LIMIT 2 OFFSET {rng.randint(0, 1)} }}",
                f"{{ SELECT DISTINCT ?x ?z WHERE {group} LIMIT 1 }}",
                f"{{ SELECT ?x WHERE {group} VALUES ?x {{ {self._constant()} {self._constant()} }} }}",
                f"{{ OPTIONAL {group} OPTIONAL {{ {block} }} }}",
                f"{{ {block} FILTER({rng.choice(('', '!'))}EXISTS {{ {group} MINUS {{ {self._block()} }} }}) }}",
            )
        )

    def sliced(self) -> str:
        """Mostly with few rows shown, so that rows come from behind."""
        rng, group = self._rng, self.group(self._rng.randint(0, 1))
        shown = rng.choice(("?x", "?x ?y", "DISTINCT ?x", "DISTINCT ?y ?x", "?x (COUNT(*) AS ?n)"))
        grouping = "GROUP BY ?x" if "COUNT" in shown else ""
        order = rng.choice(("", "ORDER BY ?x", "ORDER BY DESC(?x)", "ORDER BY STR(?x) DESC(?x)"))
        if "DISTINCT" not in shown and not grouping and rng.random() < 0.3:
            order = "ORDER BY DESC(?y)"
        limit = f"LIMIT {rng.randint(0, 4)} OFFSET {rng.choice((0, 0, 1, 2))}"
        return f"SELECT {shown} WHERE {group} {grouping} {order} {limit}"

    def _bind(self) -> str:
        return f" BIND({self._rng.choice(_EXPRESSIONS)} AS ?new) "
