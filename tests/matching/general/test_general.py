"""The general lane: SPARQL's answers on one event, with the event's own terms."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.matching.asking import answers, event, line, matched

from triplewire.rdf.events import Event
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Triple

NUMBERS = event(':a :p "01"^^xsd:integer, 1, "1"^^xsd:int, 1.0 . :b :q "01"^^xsd:integer . :c :q 2 .')


def listed(query, on=NUMBERS):
    match = matched(query, on, lane="general")
    return [line(solution) for solution in match.solutions] if match else []


class TestIdentity:
    """Terms keep their identity through every operator, and have values in expressions."""

    def test_optional_joins_by_identity(self):
        found = answers("SELECT ?o ?s { :a :p ?o OPTIONAL { ?s :q ?o } }", NUMBERS)
        assert found == Counter(
            ['o="01"^^xsd:integer s=:b', 'o="1"^^xsd:integer', 'o="1"^^xsd:int', 'o="1.0"^^xsd:decimal']
        )

    def test_minus_compares_by_identity(self):
        assert sum(answers("SELECT ?o { :a :p ?o MINUS { :b :q ?o } }", NUMBERS).values()) == 3

    def test_exists_compares_by_identity(self):
        found = answers("SELECT ?o { :a :p ?o FILTER EXISTS { :b :q ?o } }", NUMBERS)
        assert found == Counter(['o="01"^^xsd:integer'])

    def test_filters_inside_exists_see_values(self):
        query = "SELECT ?o { :a :p ?o FILTER NOT EXISTS { :b :q ?x FILTER(?x = ?o) } }"
        assert answers(query, NUMBERS) == Counter()

    def test_str_and_datatype_see_the_term_as_written(self):
        found = answers("SELECT (STR(?o) AS ?s) (DATATYPE(?o) AS ?d) { :b :q ?o }", NUMBERS)
        assert found == Counter(['d=xsd:integer s="01"'])
        assert answers("SELECT (DATATYPE(?o) AS ?d) { :a :p ?o FILTER(DATATYPE(?o) = xsd:int) }", NUMBERS) == Counter(
            ["d=xsd:int"]
        )

    def test_arithmetic_sees_values(self):
        assert answers("SELECT (?o + 1 AS ?n) { :b :q ?o }", NUMBERS) == Counter(['n="2"^^xsd:integer'])

    def test_a_computed_term_joins_with_a_canonical_one(self):
        assert answers("SELECT ?s { :b :q ?o BIND(?o + 1 AS ?n) ?s :q ?n }", NUMBERS) == Counter(["s=:c"])

    def test_bind_of_a_variable_keeps_the_term(self):
        assert answers("SELECT ?x { :b :q ?o BIND(?o AS ?x) }", NUMBERS) == Counter(['x="01"^^xsd:integer'])

    @pytest.mark.parametrize("expression", ["IF(true, ?o, 0)", "IF(?o = 2, 0, ?o)", "COALESCE(?none, ?o)"])
    def test_choosing_functions_keep_the_term(self, expression):
        query = f"SELECT ?x {{ :b :q ?o BIND({expression} AS ?x) :a :p ?x }}"
        assert answers(query, NUMBERS) == Counter(['x="01"^^xsd:integer'])

    def test_sameterm_is_identity(self):
        query = 'SELECT ?o { :a :p ?o FILTER(sameTerm(?o, "01"^^xsd:integer)) }'
        assert answers(query, NUMBERS) == Counter(['o="01"^^xsd:integer'])

    def test_values_hold_terms(self):
        query = 'SELECT ?o { VALUES ?o { "01"^^xsd:integer "001"^^xsd:integer 1 } :a :p ?o }'
        assert answers(query, NUMBERS) == Counter(['o="01"^^xsd:integer', 'o="1"^^xsd:integer'])

    def test_trailing_values_hold_terms(self):
        query = 'SELECT ?s { ?s :q ?o } VALUES ?o { "01"^^xsd:integer }'
        assert answers(query, NUMBERS) == Counter(["s=:b"])

    def test_a_constant_of_the_query_is_a_term_even_where_the_event_has_none(self):
        on = event(":a :p 1 .")
        assert answers('SELECT ?s { ?s :p ?o OPTIONAL { ?s :p "01"^^xsd:integer . BIND(1 AS ?x) } }', on) == Counter(
            ["s=:a"]
        )
        assert answers('SELECT (STR("01"^^xsd:integer) AS ?x) { ?s ?p ?o }', on) == Counter(['x="01"'])

    def test_strdt_makes_the_term_it_is_told(self):
        assert answers('SELECT ?s { BIND(STRDT("01", xsd:integer) AS ?o) ?s :q ?o }', NUMBERS) == Counter(["s=:b"])
        found = answers('SELECT ?x { :c :q ?o BIND(STRDT("007", xsd:int) AS ?x) FILTER(?x = 7) }', event(":c :q 2 ."))
        assert found == Counter(['x="007"^^xsd:int'])

    def test_distinct_and_group_by_tell_terms_apart(self):
        assert len(listed("SELECT DISTINCT ?o { ?s ?p ?o FILTER(?o = 1) }")) == 4
        found = answers("SELECT ?o (COUNT(*) AS ?n) { ?s ?p ?o FILTER(?o = 1) } GROUP BY ?o", NUMBERS)
        assert found['n="2"^^xsd:integer o="01"^^xsd:integer'] == 1
        assert len(found) == 4

    def test_order_by_sees_values(self):
        on = event(':a :p "010"^^xsd:integer, 9, "0011"^^xsd:integer .')
        assert listed("SELECT ?o { :a :p ?o } ORDER BY ?o", on) == [
            'o="9"^^xsd:integer',
            'o="010"^^xsd:integer',
            'o="0011"^^xsd:integer',
        ]
        assert listed("SELECT ?o { :a :p ?o } ORDER BY DESC(?o) LIMIT 1 OFFSET 1", on) == ['o="010"^^xsd:integer']

    def test_a_boolean_is_a_condition(self):
        on = event(':a :p "1"^^xsd:boolean . :b :p "0"^^xsd:boolean .')
        assert answers("SELECT ?s { ?s :p ?o OPTIONAL { ?s :q ?x } FILTER(?o) }", on) == Counter(["s=:a"])

    def test_sub_selects_pass_terms_on(self):
        query = "SELECT ?s ?m { { SELECT (MAX(?o) AS ?m) { :b :q ?o } } ?s :p ?m }"
        assert answers(query, NUMBERS) == Counter(['m="01"^^xsd:integer s=:a'])


class TestAggregates:
    on = event(':a :p "01"^^xsd:integer, 1, "02"^^xsd:integer, "3"^^xsd:int .')

    def test_minimum_and_maximum_are_terms_of_the_event(self):
        found = answers("SELECT (MAX(?o) AS ?x) { :a :p ?o }", self.on)
        assert found == Counter(['x="3"^^xsd:int'])
        [low] = answers("SELECT (MIN(?o) AS ?x) { :a :p ?o }", self.on)
        assert low in ('x="01"^^xsd:integer', 'x="1"^^xsd:integer')

    def test_sums_of_distinct_terms_are_not_of_distinct_values(self):
        query = "SELECT (SUM(?o) AS ?all) (SUM(DISTINCT ?o) AS ?each) (AVG(DISTINCT ?o) AS ?mean) { :a :p ?o }"
        assert answers(query, self.on) == Counter(
            ['all="7"^^xsd:integer each="7"^^xsd:integer mean="1.75"^^xsd:decimal']
        )

    def test_count_tells_terms_apart(self):
        query = "SELECT (COUNT(DISTINCT ?o) AS ?n) { ?s ?p ?o }"
        assert answers(query, self.on) == Counter(['n="4"^^xsd:integer'])

    def test_sample_is_a_term_of_the_event(self):
        on = event(':a :p "01"^^xsd:integer .')
        assert answers("SELECT (SAMPLE(?o) AS ?x) { :a :p ?o }", on) == Counter(['x="01"^^xsd:integer'])

    def test_having_sees_values(self):
        query = "SELECT ?s { ?s :p ?o } GROUP BY ?s HAVING(MAX(?o) > 2 && SUM(?o) = 7)"
        assert answers(query, self.on) == Counter(["s=:a"])

    def test_group_concat_gives_a_plain_string(self):
        on = event(":a :p 'x'@en .")
        assert answers("SELECT (GROUP_CONCAT(?o) AS ?x) { :a :p ?o }", on) == Counter(['x="x"'])

    def test_an_empty_group(self):
        assert answers("SELECT (COUNT(*) AS ?n) (MAX(?o) AS ?m) { :a :none ?o }", self.on) == Counter(
            ['n="0"^^xsd:integer']
        )

    def test_an_aggregate_over_an_error_is_unbound(self):
        on = event(':a :p "01"^^xsd:integer, :iri .')
        assert answers("SELECT (SUM(?o) AS ?x) (COUNT(*) AS ?n) { :a :p ?o }", on) == Counter(['n="2"^^xsd:integer'])


class TestValuesBehindGroups:
    """SPARQL 1.1, 18.2.4.3: VALUES behind a query is joined with its groups, before anything is projected."""

    on = event(":a :p 1 ; :q 2 . :b :p 1 .")

    @pytest.mark.parametrize(
        ("query", "expected"),
        [
            ("SELECT ?s ?v { ?s :p ?o } GROUP BY ?s VALUES ?v { :v }", ["s=:a v=:v", "s=:b v=:v"]),
            ("SELECT (STR(?v) AS ?w) { ?s :q ?o } GROUP BY ?s VALUES ?v { 1 }", ['w="1"']),
            ("SELECT ?o { ?s :q ?o } GROUP BY ?s VALUES ?o { :other }", ["o=:other"]),
            ("SELECT (COUNT(*) AS ?n) ?v { ?s :p ?o } VALUES ?v { :v }", ['n="2"^^xsd:integer v=:v']),
            ("SELECT (COUNT(*) AS ?n) { ?s ?p ?o } VALUES ?s { :b }", ['n="3"^^xsd:integer']),
        ],
    )
    def test_joined(self, query, expected):
        assert answers(query, self.on) == Counter(expected)

    def test_what_it_brings_reaches_a_template(self):
        query = "CONSTRUCT { ?s :rank ?r } WHERE { ?s ?p ?o } GROUP BY ?s VALUES (?s ?r) { (:a 1) (:c 3) }"
        [made] = matched(query, self.on).construct
        assert made.object == Literal(1)

    def test_ask(self):
        assert answers("ASK { ?s :p ?o } GROUP BY ?s VALUES ?s { :a }", self.on)
        assert not answers("ASK { ?s :p ?o } GROUP BY ?s VALUES ?s { :c }", self.on)


class TestZeroLengthPaths:
    """SPARQL 1.1, 18.4: a path of length zero connects a term to itself, also one that the graph lacks."""

    on = event(":a :p :b . :b :p :c .")

    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            (":a :p* ?x", ["x=:a", "x=:b", "x=:c"]),
            (":zz :p* ?x", ["x=:zz"]),
            (":zz :p? ?x", ["x=:zz"]),
            ("?x :p* :zz", ["x=:zz"]),
            (":zz ^:p* ?x", ["x=:zz"]),
            (":zz (:p*)+ ?x", ["x=:zz"]),
            (":zz :p+ ?x", []),
            (":zz :p ?x", []),
            (":zz (:p*|:q?) ?x", ["x=:zz", "x=:zz"]),
            (":zz (:p*|:q) ?x", ["x=:zz"]),
            ('"text" :p* ?x', ['x="text"']),
            ('"01"^^xsd:integer :p* ?x', ['x="01"^^xsd:integer']),
            (":zz :p* ?x . ?x :p ?y", []),
            (":zz :p* ?x . ?x :q* ?x", []),
            (":zz :p* ?x . :a :p ?y", ["x=:zz y=:b"]),
            (":zz :p* _:b . _:b :p ?x", []),
            (":zz :p* _:b . :a :p ?x", ["x=:b"]),
            ('"text" :p* _:b . _:b :p ?x', []),
            (":zz :p* :zz . :a :p ?x", ["x=:b"]),
            (":zz :p* :yy . :a :p ?x", []),
            (":zz :p* :a . :a :p ?x", []),
            ("GRAPH ?g { :zz :p* ?x }", ["g=:event x=:zz"]),
            ("GRAPH :other { :zz :p* ?x }", []),
            ("?x :p ?y FILTER EXISTS { :zz :p* ?z }", ["x=:a y=:b", "x=:b y=:c"]),
            (":a :p ?y OPTIONAL { :zz :p* ?x }", ["x=:zz y=:b"]),
            ("VALUES ?x { :zz } ?x :p* ?y", []),
        ],
    )
    def test_from_terms_there_and_absent(self, pattern, expected):
        assert answers(f"SELECT * {{ {pattern} }}", self.on) == Counter(expected)


class TestAlternativePaths:
    """SPARQL 1.1, 18.2.2.4 and 18.4: `a|b` is a UNION, so every way to an end is a solution of its own."""

    on = event(":s :p :a, :b ; :q :a . :a :r :o . :b :r :o .")

    @pytest.mark.parametrize(
        ("pattern", "ways"),
        [
            (":s (:p|:q) :a", 2),
            (":s (:p|:p) ?x", 4),
            (":s (:p|:q)/:r ?x", 3),
            (":s (:p|:q)/:r :o", 3),
            (":s (:p|:p)/(:r|:r) ?x", 8),
            (":o ^((:p|:q)/:r) ?x", 3),
            ("?x (^:q|^:p) :s", 3),
            (":s (:p/:r|:q/:r|:none) ?x", 3),
            (":s !(:none|^:none) ?x", 3),
            (":s !:none :a", 2),
            (":a !^:none :s", 2),
            ("?x :r ?y . :s (!:none) ?x", 3),
            ("?x !(:none|^:none) ?y", 10),
            (":s ^(^(:p|:q)) ?x", 3),
            ("_:s (:p|:q) _:x . _:x :r ?y", 3),
            ("[] (:p|:q) [] . FILTER EXISTS { :s (:p|:q)/:r ?z }", 3),
            ("GRAPH ?g { :s (:p|:q) ?x }", 3),
            (":s :q ?x OPTIONAL { ?y (:p|:q) ?x FILTER(?x = :a) }", 2),
            (":s :p ?x MINUS { ?y (:p|:q) ?x }", 0),
            ('?x (:p|:q) "text"', 0),
            (":s (:p|:q)? ?x", 3),
            (":s (:p|:q)+ ?x", 2),
            (":s !() ?x", 3),
            (":s (!())+ ?x", 3),
        ],
    )
    def test_every_way_counts(self, pattern, ways):
        assert sum(answers(f"SELECT * {{ {pattern} }}", self.on).values()) == ways

    def test_nothing_of_the_spelling_shows(self):
        assert answers("SELECT * { :s (:p|:q)/:r ?x }", self.on) == Counter({"x=:o": 3})
        assert answers("SELECT (COUNT(DISTINCT *) AS ?n) { :s (:p|:q)/:r ?x }", self.on) == Counter(
            ['n="1"^^xsd:integer']
        )

    def test_deep_choices_are_evaluated(self):
        path = ":p"
        for _ in range(50):
            path = f"({path}|:none)"
        assert sum(answers(f"SELECT * {{ :s {path} ?x }}", self.on).values()) == 2


class TestGraphs:
    """SPARQL 1.1, 18.5: GRAPH ?g joins with its name, whatever stands inside."""

    on = event(":a :p 1, 2 .")

    @pytest.mark.parametrize(
        ("pattern", "expected"),
        [
            ("GRAPH ?g { VALUES ?x { :v } }", ["g=:event x=:v"]),
            ("GRAPH ?g { { SELECT ?x { ?x :p ?o } } }", ["g=:event x=:a", "g=:event x=:a"]),
            ("GRAPH ?g { { SELECT (SUM(?o) AS ?x) { :a :p ?o } } }", ['g=:event x="3"^^xsd:integer']),
            ("GRAPH :other { VALUES ?x { :v } }", []),
            ("GRAPH :other { { SELECT (COUNT(*) AS ?x) { :a :p ?o } } }", []),
            ("GRAPH :other { BIND(1 AS ?x) }", []),
            ("GRAPH :event { BIND(:v AS ?x) }", ["x=:v"]),
            ("OPTIONAL { GRAPH ?g { VALUES ?x { :v } } }", ["g=:event x=:v"]),
            ("?x :p 1 FILTER EXISTS { GRAPH :other { VALUES ?x { :a } } }", []),
            ("GRAPH ?g { }", ["g=:event"]),
            ("GRAPH ?g { ?x :p 1 FILTER(BOUND(?g)) }", []),
            ("GRAPH ?g { ?x :p 1 FILTER(!BOUND(?g)) }", ["g=:event x=:a"]),
            ("GRAPH ?g { ?x :p 1 MINUS { ?g :none ?o } }", ["g=:event x=:a"]),
            ("GRAPH ?g { ?x :p 1 MINUS { GRAPH ?g { ?y :p 2 } } }", ["g=:event x=:a"]),
            ("GRAPH ?g { ?x :p 1 OPTIONAL { ?g :p 2 } }", []),
            ("GRAPH ?g { GRAPH ?h { ?x :p 1 } }", ["g=:event h=:event x=:a"]),
        ],
    )
    def test_around_anything(self, pattern, expected):
        assert answers(f"SELECT * {{ {pattern} }}", self.on) == Counter(expected)


class TestBlankNodes:
    def test_a_made_blank_node_is_none_of_the_events(self):
        on = Event.from_triples("urn:e", [Triple(BlankNode("a"), NamedNode("urn:p"), Literal("a"))])
        assert answers('SELECT ?x { ?s ?p ?o BIND(BNODE("a") AS ?x) ?x ?p ?o }', on) == Counter()
        match = matched('SELECT ?x ?y { ?s ?p ?o BIND(BNODE("a") AS ?x) BIND(BNODE("not a label") AS ?y) }', on)
        assert match is not None
        [solution] = match.solutions
        assert len({BlankNode("a"), *solution.values()}) == 3


class TestForms:
    def test_unbound_variables_are_absent(self):
        match = matched("SELECT ?s ?x { ?s :q ?o OPTIONAL { ?s :none ?x } }", NUMBERS)
        assert match is not None
        assert all(set(solution) == {"s"} for solution in match.solutions)

    def test_order_limit_and_offset(self):
        on = event(":a :p 3, 1, 2, 5, 4 .")
        assert listed("SELECT ?o { :a :p ?o } ORDER BY ?o LIMIT 2 OFFSET 1", on) == [
            'o="2"^^xsd:integer',
            'o="3"^^xsd:integer',
        ]

    def test_an_ask(self):
        match = matched("ASK { { ?s :q ?o } UNION { ?s :none ?o } }", NUMBERS)
        assert match is not None
        assert match.solutions == [{}]
        assert matched("ASK { { ?s :no ?o } UNION { ?s :none ?o } }", NUMBERS) is None

    def test_construct_gives_solutions_and_triples(self):
        match = matched("CONSTRUCT { ?s :is ?o } { ?s :q ?o OPTIONAL { ?s :none ?x } }", NUMBERS)
        assert match is not None
        assert Counter(map(line, match.solutions)) == Counter(['o="01"^^xsd:integer s=:b', 'o="2"^^xsd:integer s=:c'])
        assert {triple.object.value for triple in match.construct} == {"01", "2"}

    def test_construct_of_groups(self):
        match = matched("CONSTRUCT { :it :held ?o } { ?s ?p ?o } GROUP BY ?o HAVING(COUNT(*) > 1)", NUMBERS)
        assert match is not None
        assert [triple.object.value for triple in match.construct] == ["01"]
