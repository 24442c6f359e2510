"""Small random queries and events over a tiny vocabulary, by seed, so that they often match each other."""

from __future__ import annotations

from itertools import count
from random import Random

from triplewire.rdf.terms import XSD, Literal, NamedNode, Triple

NODES = [NamedNode(f"urn:{name}") for name in "abc"]
PROPERTIES = [NamedNode(f"urn:{name}") for name in "pq"]
VALUES = [*(Literal(str(number), datatype=XSD["integer"]) for number in (1, 2, 3)), Literal("xy"), Literal("x")]
COMPARATORS = ("=", "!=", "<", "<=", ">", ">=")


class Generator:
    """Text of queries, and triples for them to match."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self._numbers = count()

    def triples(self) -> list[Triple]:
        pick = self.random.choice
        made = [Triple(pick(NODES), pick(PROPERTIES), pick(NODES + VALUES)) for _ in range(self.random.randint(1, 12))]
        return list(dict.fromkeys(made))

    def fast_query(self) -> str:
        return f"SELECT * {{ {self._fast_group(3)} }}"

    def general_query(self) -> str:
        group = f"{self._pattern()} {self._group(3)}"
        return self.random.choice(
            (
                f"SELECT * {{ {group} }}",
                f"SELECT * {{ {group} }}",
                f"SELECT * {{ {group} }} {self._values()}",
                f"SELECT ?x {{ {group} }} ORDER BY ?y LIMIT {self.random.choice((0, 1, 9))}",
                f"SELECT ?x (COUNT(*) AS ?{self._new()}) {{ {group} }} GROUP BY ?x {self._values()}",
                f"SELECT (COUNT(*) AS ?{self._new()}) {{ {group} }}",
            )
        )

    def _new(self) -> str:
        return f"n{next(self._numbers)}"

    def _one(self, *choices: object) -> str:
        return str(self.random.choice(choices))

    def _variable(self) -> str:
        return self._one("?x", "?y", "?z")

    def _value(self) -> str:
        return self._one(*NODES, *VALUES)

    def _property(self) -> str:
        return self._one(*PROPERTIES)

    def _subject(self) -> str:
        return self._one(self._variable(), self._variable(), *NODES[:1])

    def _object(self) -> str:
        return self._one(self._variable(), self._variable(), self._value())

    def _pattern(self) -> str:
        verb = self._one(self._property(), self._property(), self._variable())
        return f"{self._subject()} {verb} {self._object()} ."

    def _path_pattern(self) -> str:
        return f"{self._subject()} {self._path(2)} {self._object()} ."

    def _path(self, depth: int) -> str:
        if depth == 0:
            return self._property()
        inner, other = self._path(depth - 1), self._path(depth - 1)
        return self._one(
            inner,
            f"({inner}/{other})",
            f"({inner}|{other})",
            f"(^{inner})",
            f"({inner}{self._one(*'*+?')})",
            "(!<urn:p>)",
            "(!(<urn:p>|^<urn:q>))",
            "(!^<urn:q>)",
        )

    def _test(self) -> str:
        # Never empty: Oxigraph finds nothing for `?s ?p ?x FILTER(?x NOT IN ())`, which is true of everything.
        constants = ", ".join(self._value() for _ in range(self.random.randint(1, 2)))
        return self._one(
            f"{self._variable()} {self._one(*COMPARATORS)} {self._object()}",
            f"{self._variable()} {self._one(*COMPARATORS)} {self._value()}",
            f"{self._value()} {self._one(*COMPARATORS)} {self._variable()}",
            f"{self._variable()} IN ({constants})",
            f"{self._variable()} NOT IN ({constants})",
            f'CONTAINS({self._variable()}, "y")',
            f'STRSTARTS({self._variable()}, "x")',
            self._one("true", "false"),
        )

    def _condition(self, depth: int) -> str:
        if depth == 0:
            return self._test()
        a, b = self._condition(depth - 1), self._condition(depth - 1)
        return self._one(a, f"({a} && {b})", f"({a} || {b})", f"!({a})")

    def _filter(self) -> str:
        return f"FILTER({self._condition(2)})"

    def _other_filter(self) -> str:
        return self._one(
            f"FILTER({self._variable()} + 1 > 2)",
            f"FILTER(BOUND({self._variable()}))",
            f"FILTER({self._condition(1)} || {self._variable()} + 1 = 3)",
            f"FILTER(!({self._condition(1)} && STR({self._variable()}) = 'x'))",
        )

    def _values(self) -> str:
        rows = " ".join(self._one(self._value(), self._value(), "UNDEF") for _ in range(self.random.randint(0, 3)))
        return f"VALUES {self._variable()} {{ {rows} }}"

    def _fast_group(self, depth: int) -> str:
        return " ".join(self._fast_element(depth) for _ in range(self.random.randint(0, 3)))

    def _fast_element(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.6:
            return self._one(self._pattern(), self._pattern(), self._filter())
        inner = self._fast_group(depth - 1)
        return self._one(
            f"{{ {inner} }}",
            f"GRAPH ?g {{ {inner} }}",
            f"GRAPH <urn:event> {{ {inner} }}",
            f"GRAPH <urn:other> {{ {inner} }}",
        )

    def _group(self, depth: int) -> str:
        return " ".join(self._element(depth) for _ in range(self.random.choice((0, 1, 1, 2, 2, 3))))

    def _element(self, depth: int) -> str:
        if depth == 0 or self.random.random() < 0.5:
            plain = (self._pattern(), self._pattern(), self._pattern(), self._path_pattern(), self._filter())
            return self._one(*plain, self._other_filter(), self._values(), self._bind())
        inner, other = self._group(depth - 1), self._group(depth - 1)
        return self._one(
            f"{{ {inner} }}",
            f"GRAPH ?g {{ {inner} }}",
            f"GRAPH <urn:event> {{ {inner} }}",
            f"OPTIONAL {{ {inner} }}",
            f"MINUS {{ {inner} }}",
            f"{{ {inner} }} UNION {{ {other} }}",
            f"FILTER EXISTS {{ {inner} }}",
            f"FILTER NOT EXISTS {{ {inner} }}",
            f"FILTER(EXISTS {{ {inner} }} && {self._condition(1)})",
            f"FILTER(EXISTS {{ {inner} }} || {self._condition(1)})",
            f"{{ SELECT {self._variable()} {{ {inner} }} }}",
            f"{{ SELECT DISTINCT * {{ {inner} }} LIMIT {self._one(0, 1, 2)} }}",
            f"{{ SELECT (COUNT(*) AS ?{self._new()}) {{ {inner} }} }}",
            f"{{ SELECT ?x (COUNT(?y) AS ?{self._new()}) {{ {inner} }} GROUP BY ?x }}",
            f"{{ SELECT ?x {{ {inner} }} GROUP BY ?x HAVING (COUNT(*) > 1) }}",
            f"{{ SELECT ?x {{ {inner} }} {self._values()} }}",
        )

    def _bind(self) -> str:
        return f"BIND({self._one(self._value(), self._variable() + ' + 1')} AS ?{self._new()})"
