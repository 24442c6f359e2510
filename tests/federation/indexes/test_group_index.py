"""Section 3.1, super-peer indexes: the combined schema annotated with peers, resource indexes, S_i."""

from __future__ import annotations

from tests.rules.selene import DC, EXT1, FIGURE_1, FIGURE_2, LOS, MERGED, SELENE, USERS

from triplewire.federation.indexes.group_index import GroupIndex, PeerView, induced
from triplewire.federation.indexes.local_index import IndexChange
from triplewire.rdf.terms import NamedNode

BOOK, USER = LOS["BK187"], USERS["128"]


def nodes(*some: NamedNode) -> frozenset[NamedNode]:
    return frozenset(some)


def group() -> GroupIndex:
    """One peer with learning objects, one with users."""
    index = GroupIndex()
    index.join("library", PeerView(FIGURE_1, nodes(SELENE["LO"], DC["type"]), [(SELENE["LO"], BOOK)]))
    index.join("people", PeerView(FIGURE_2, nodes(SELENE["User"], EXT1["name"]), [(SELENE["User"], USER)]))
    return index


def test_the_combined_schema_is_annotated_with_the_peers_that_have_data():
    index = group()
    assert index.declared == MERGED
    assert index.peers_with(SELENE["LO"]) == {"library"}
    assert index.peers_with(SELENE["User"]) == {"people"}
    assert index.peers_with(DC["subject"]) == set()
    assert index.schema.is_class(SELENE["LO"])
    assert not index.schema.is_property(DC["subject"])


def test_the_resource_index_lists_resources_by_class_with_their_peers():
    index = group()
    assert index.resources(SELENE["LO"]) == {BOOK: {"library"}}
    index.follow("people", IndexChange(grown=nodes(SELENE["LO"]), referenced=frozenset({(SELENE["LO"], BOOK)})))
    assert index.resources(SELENE["LO"]) == {BOOK: {"library", "people"}}
    assert index.peers_of(BOOK) == {"library", "people"}
    assert index.peers_of(USER) == {"people"}


def test_a_group_grows_with_its_first_peer_and_shrinks_with_its_last_one():
    index = group()
    assert not index.follow("people", IndexChange(grown=nodes(SELENE["LO"])))
    assert index.follow("people", IndexChange(grown=nodes(DC["subject"]))).grown == {DC["subject"]}
    assert not index.follow("library", IndexChange(shrunk=nodes(SELENE["LO"])))
    assert index.follow("people", IndexChange(shrunk=nodes(SELENE["LO"]))).shrunk == {SELENE["LO"]}
    assert index.leave("library").shrunk == {DC["type"]}
    assert index.peers == ("people",)


def test_the_induced_schema_keeps_what_stands_between_the_nodes_that_stay():
    part = induced(MERGED, nodes(SELENE["LO"], DC["subject"], SELENE["new_LOs"]))
    assert part.classes == {SELENE["LO"], SELENE["new_LOs"]}
    assert part.properties == {DC["subject"]}
    assert part.domain(DC["subject"]) == {SELENE["LO"]}
    assert part.containers == {SELENE["new_LOs"]}
    assert part.elements(SELENE["new_LOs"]) == {SELENE["LO"]}
    without = induced(MERGED, nodes(DC["subject"]))
    assert without.properties == {DC["subject"]}
    assert not without.domain(DC["subject"])


def test_a_deletion_is_looked_at_with_what_was_there_before():
    group = GroupIndex()
    group.join("p", PeerView(FIGURE_1, nodes(SELENE["LO"]), [(SELENE["LO"], BOOK)]))
    change = IndexChange(shrunk=nodes(SELENE["LO"]), dropped=frozenset({(SELENE["LO"], BOOK)}))
    group.lost("p", change)
    assert group.follow("p", change).shrunk == nodes(SELENE["LO"])
    both = group.before_and_after("p")
    assert both.schema.is_class(SELENE["LO"])
    assert group.recent_schema.is_class(SELENE["LO"])
    assert both.has(BOOK)
    assert not group["p"].has(BOOK)
    assert not group["p"].schema.is_class(SELENE["LO"])
    group.all_seen("p")
    assert group.before_and_after("p") is group["p"]


def test_a_node_is_gone_when_its_last_peer_is():
    group = GroupIndex()
    some, more = nodes(SELENE["LO"]), nodes(SELENE["LO"], DC["subject"])
    assert group.join("p", PeerView(FIGURE_1, some)).grown == some
    assert group.join("q", PeerView(FIGURE_1, more)).grown == nodes(DC["subject"])
    assert not group.follow("p", IndexChange(shrunk=some))
    assert group.join("q", PeerView(FIGURE_1, some)).shrunk == nodes(DC["subject"])
    assert group.leave("q").shrunk == some
    assert group.nodes == nodes()
