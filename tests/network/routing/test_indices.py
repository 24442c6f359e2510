"""The advertisement indices: Table 1, the update algorithm of section 3.2, algorithm 1, and a naive twin."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from tests.network.routing.paper import DC, EXAMPLE_1, LOM, TABLE_1, sparql

from triplewire.algebra import Advertisement, Interval
from triplewire.errors import InputError
from triplewire.network.messages import Description, StandingQuery
from triplewire.network.routing.advertisements.descriptions import describe
from triplewire.network.routing.advertisements.index import AdvertisementIndex, IndexElement, Level, elements_of
from triplewire.network.routing.subscriptions.reasoner import AlgebraReasoner
from triplewire.rdf.terms import RDF, Literal, NamedNode
from triplewire.testing.strategies import advertisements, subscriptions

REASONER = AlgebraReasoner()


def indexed(by_target: Mapping[str, Description]) -> AdvertisementIndex[str]:
    indices: AdvertisementIndex[str] = AdvertisementIndex()
    for target, description in by_target.items():
        indices.add(description, target)
    return indices


def schemas(*names: str) -> IndexElement:
    return IndexElement(Level.SCHEMA, frozenset(map(NamedNode, names)))


def properties(*names: str) -> IndexElement:
    return IndexElement(Level.PROPERTY, frozenset(map(NamedNode, names)))


class CountingReasoner(AlgebraReasoner):
    """Notes what it was asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Description] = []

    def covers(self, description: Description, query: StandingQuery) -> bool:
        self.asked.append(description)
        return super().covers(description, query)


class TestTable1:
    def test_the_rows(self):
        year = NamedNode(f"{DC}year")
        shown = {(row.element, tuple(sorted(row.targets))) for row in indexed(TABLE_1).rows()}
        assert shown == {
            (schemas(DC, LOM), ("SP1",)),
            (properties(f"{DC}subject", f"{LOM}context"), ("SP6",)),
            (properties(f"{DC}language"), ("SP7",)),
            (_values("creator", Literal("P. Chirita"), Literal("W. Nejdl")), ("SP1",)),
            (_values("title", Literal("Algorithms"), Literal("Data Structures")), ("SP1",)),
            (IndexElement(Level.VALUE, frozenset({year}), (Interval(2002, None),)), ("SP1",)),
            (IndexElement(Level.VALUE, frozenset({year}), (Interval(1990, 2000),)), ("SP2",)),
        }

    def test_they_come_by_level(self):
        levels = [row.element.level for row in indexed(TABLE_1).rows()]
        assert levels == sorted(levels)
        assert set(levels) == set(Level)

    def test_a_row_can_be_read(self):
        shown = [f"{row.element} -> {', '.join(row.targets)}" for row in indexed(TABLE_1).rows()]
        assert f"<{DC}year> in {{[1990, 2000]}} -> SP2" in shown
        assert f"<{DC}language> -> SP7" in shown


def _values(name: str, *terms: Literal) -> IndexElement:
    return IndexElement(Level.VALUE, frozenset({NamedNode(DC + name)}), terms)


class TestUpdate:
    """Section 3.2: `The following algorithm formalizes this procedure`."""

    def test_what_is_known_gets_only_a_reference(self):
        """1. If S_y is a subset of S_x, then add P_y to the list of peers at each s_i of S_y."""
        indices = indexed(TABLE_1)
        before = [row.element for row in indices.rows()]
        assert indices.add(TABLE_1["SP7"], "SP9")
        assert [row.element for row in indices.rows()] == before
        targets = {row.element: row.targets for row in indices.rows()}
        assert targets[properties(f"{DC}language")] == {"SP7", "SP9"}

    def test_known_rows_in_a_new_description_get_only_references(self):
        indices = indexed(TABLE_1)
        before = len(indices)
        both = describe([Advertisement.schemas([DC, LOM]), Advertisement.properties([f"{DC}language"])])
        assert elements_of(both) <= {row.element for row in indices.rows()}
        assert indices.add(both, "SP9")
        assert len(indices) == before
        assert sum("SP9" in row.targets for row in indices.rows()) == 2

    def test_what_is_not_known_gets_new_rows(self):
        """2. Else update the SP/P indices by adding new rows s_n -> P_y, ..., s_m -> P_y."""
        indices = indexed(TABLE_1)
        before = {row.element for row in indices.rows()}
        new = describe([Advertisement.schemas(["urn:new:"]), Advertisement.properties([f"{DC}language"])])
        indices.add(new, "SP9")
        assert {row.element for row in indices.rows()} - before == {schemas("urn:new:")}
        assert sum("SP9" in row.targets for row in indices.rows()) == 2

    def test_a_second_time_changes_nothing(self):
        indices = indexed(TABLE_1)
        assert not indices.add(TABLE_1["SP1"], "SP1")

    def test_all_references_to_a_peer_that_leaves_are_removed(self):
        indices = indexed(TABLE_1)
        indices.add(TABLE_1["SP7"], "SP1")
        indices.clear("SP1")
        assert all("SP1" not in row.targets for row in indices.rows())
        assert {row.element.level for row in indices.rows()} == {Level.PROPERTY, Level.VALUE}
        assert "SP1" not in indices.all_targets()
        assert indices.targets(TABLE_1["SP7"].key) == {"SP7"}

    def test_a_row_that_another_description_has_stays(self):
        indices: AdvertisementIndex[str] = AdvertisementIndex()
        alone = describe([Advertisement.schemas([DC])])
        more = describe([Advertisement.schemas([DC]), Advertisement.properties(["urn:p"])])
        indices.add(alone, "A")
        indices.add(more, "A")
        assert indices.remove(alone.key, "A")
        assert {row.element for row in indices.rows()} == {schemas(DC), properties("urn:p")}
        assert not indices.remove(alone.key, "A")

    def test_what_is_no_description_is_refused_and_leaves_no_trace(self):
        indices: AdvertisementIndex[str] = AdvertisementIndex()
        with pytest.raises(InputError):
            indices.add(Description("key", "no RDF at all"), "A")
        assert len(indices) == 0
        assert not indices.has("key", "A")


class TestAlgorithm1:
    def test_example_1_over_table_1(self):
        """SP1 has the schema and fitting creators; SP2 has no property in common, SP6 and SP7 have other properties."""
        assert indexed(TABLE_1).route(EXAMPLE_1, REASONER) == {"SP1"}

    def test_a_target_with_schemas_does_not_starve_where_another_advertises_values(self):
        """As printed, SP1's values set pvFound for all, and then only targets in the value index are looked at."""
        indices = indexed({**TABLE_1, "SP5": describe([Advertisement.schemas([DC])])})
        assert indices.route(EXAMPLE_1, REASONER) == {"SP1", "SP5"}

    def test_a_target_with_properties_does_not_starve_either(self):
        wanted = Advertisement.properties([f"{DC}creator", f"{DC}date"])
        indices = indexed({**TABLE_1, "SP5": describe([wanted])})
        assert indices.route(EXAMPLE_1, REASONER) == {"SP1", "SP5"}

    def test_values_that_do_not_fit_stop_a_subscription_though_the_schema_fits(self):
        """Section 3.3, second criterion."""
        nobody = sparql('ASK { ?x dc:creator ?y FILTER(CONTAINS(?y, "Aberer")) }')
        assert indexed(TABLE_1).route(nobody, REASONER) == set()

    def test_schemas_and_properties_of_one_target_are_taken_together(self):
        """Line 13: a property is missing only if neither it nor its schema is there."""
        mixed = describe([Advertisement.schemas([LOM]), Advertisement.properties([f"{DC}date"])])
        both = sparql("ASK { ?x dc:date ?d ; lom:context ?c }")
        assert indexed({"A": mixed}).route(both, REASONER) == {"A"}
        assert indexed({"A": mixed}).route(sparql("ASK { ?x dc:creator ?d ; lom:context ?c }"), REASONER) == set()

    def test_of_the_targets_named(self):
        indices = indexed(dict.fromkeys("ABC", TABLE_1["SP1"]))
        assert indices.route(EXAMPLE_1, REASONER, ["A", "C", "D"]) == {"A", "C"}
        assert indices.route(EXAMPLE_1, REASONER, []) == set()

    def test_each_target_is_looked_at_until_one_description_covers(self):
        indices: AdvertisementIndex[str] = AdvertisementIndex()
        for n in range(20):
            indices.add(describe([Advertisement.schemas([DC, f"urn:{n}:"])]), "A")
        counting = CountingReasoner()
        assert indices.route(EXAMPLE_1, counting) == {"A"}
        assert len(counting.asked) == 1

    def test_only_descriptions_that_name_the_properties_are_asked_about(self):
        indices = indexed({str(n): describe([Advertisement.schemas([f"urn:{n}:"])]) for n in range(50)})
        indices.add(TABLE_1["SP1"], "SP1")
        counting = CountingReasoner()
        assert indices.route(EXAMPLE_1, counting) == {"SP1"}
        assert counting.asked == [TABLE_1["SP1"]]

    def test_who_may_publish_anything_is_asked_about_everything(self):
        anything = sparql("SELECT * { ?s ?p ?o }")
        assert indexed(TABLE_1).route(anything, REASONER) == set(TABLE_1)
        assert indexed(TABLE_1).route(sparql("ASK { OPTIONAL { ?s ex:none ?o } }"), REASONER) == set(TABLE_1)

    @settings(deadline=None)
    @given(st.dictionaries(st.integers(0, 5), st.lists(advertisements(), min_size=1, max_size=3)), subscriptions())
    def test_the_rows_leave_out_nobody_that_is_covered(self, registered, subscription):
        query = StandingQuery("key", subscription.language, subscription.text)
        descriptions = {target: describe(given_) for target, given_ in registered.items()}
        covered = {target for target, found in descriptions.items() if REASONER.covers(found, query)}
        indices: AdvertisementIndex[int] = AdvertisementIndex()
        for target, description in descriptions.items():
            indices.add(description, target)
        assert indices.route(query, REASONER) == covered


_POOL = [
    describe([Advertisement.schemas([DC])]),
    describe([Advertisement.schemas([DC]), Advertisement.properties([f"{LOM}context"])]),
    describe([Advertisement.properties([f"{DC}creator", f"{DC}date"])]),
    describe([Advertisement.values({f"{DC}date": Interval(2000, None)})]),
    describe([Advertisement.values({f"{DC}date": Interval(None, 1999)}), Advertisement.schemas([DC])]),
    describe([Advertisement.values({RDF["type"]: NamedNode(f"{DC}article")})]),
    *TABLE_1.values(),
]
_QUERIES = [
    EXAMPLE_1,
    sparql("ASK { ?x dc:date ?d FILTER(?d > 2001) }"),
    sparql("ASK { ?x dc:date ?d ; ?p ?o FILTER(?d < 1990) }"),
    sparql("ASK { { ?x dc:language ?l } UNION { ?x lom:context ?c } }"),
]


class IndicesLikeNaive(RuleBasedStateMachine):
    """The indices against a set of pairs."""

    def __init__(self) -> None:
        super().__init__()
        self.indices: AdvertisementIndex[int] = AdvertisementIndex()
        self.naive: set[tuple[Description, int]] = set()

    @rule(description=st.sampled_from(_POOL), peer=st.integers(0, 3))
    def add(self, description, peer):
        assert self.indices.add(description, peer) == ((description, peer) not in self.naive)
        self.naive.add((description, peer))

    @rule(description=st.sampled_from(_POOL), peer=st.integers(0, 3))
    def remove(self, description, peer):
        assert self.indices.remove(description.key, peer) == ((description, peer) in self.naive)
        self.naive.discard((description, peer))

    @rule(peer=st.integers(0, 3))
    def clear(self, peer):
        self.indices.clear(peer)
        self.naive = {pair for pair in self.naive if pair[1] != peer}

    @rule(query=st.sampled_from(_QUERIES), among=st.none() | st.sets(st.integers(0, 3)))
    def route(self, query, among):
        covered = {target for description, target in self.naive if REASONER.covers(description, query)}
        expected = covered if among is None else covered & among
        assert self.indices.route(query, REASONER, among) == expected

    @invariant()
    def shows_the_same(self):
        rows: dict[IndexElement, set[int]] = {}
        for description, target in self.naive:
            for element in elements_of(description):
                rows.setdefault(element, set()).add(target)
        assert {row.element: row.targets for row in self.indices.rows()} == rows
        assert set(self.indices.all_descriptions()) == {description for description, _ in self.naive}
        for target in range(4):
            mine = {description.key: description for description, whose in self.naive if whose == target}
            assert dict(self.indices.describes(target)) == mine
            assert (target in self.indices.all_targets()) == bool(mine)


TestIndicesLikeNaive = IndicesLikeNaive.TestCase
