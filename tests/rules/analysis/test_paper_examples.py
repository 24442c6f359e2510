"""Examples 1, 2 and 3 of Papamarkos et al., with the very sets that they name."""

from __future__ import annotations

from tests.rules.selene import DC, EXAMPLE_3, EXT1, EXT3, FIGURE_1, FIGURE_2, LOS, MERGED, NAMESPACES, SELENE

from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.rdf.terms import RDFS, XSD
from triplewire.rules.analysis import Analysis, SchemaTriple, a_relevant, c_relevant, e_relevant
from triplewire.rules.analysis.footprints.definitions import nodes
from triplewire.rules.analysis.footprints.paths import Scope
from triplewire.rules.name_resolution import resolved

# The paper writes target(ext3:Messages) here and ext3:messages everywhere else; Messages is its range.
EXAMPLE_1 = [
    parse_rule(
        f"ON INSERT resource() AS INSTANCE OF User IF True DO INSERT resource({LOS}BK187) AS INSTANCE OF LO;;", id="r1"
    ),
    parse_rule(
        NAMESPACES
        + """ON INSERT resource()/target(ext3:messages)/target(ext3:updated_LOs)/element() AS INSTANCE OF LO
             IF True DO DELETE ($delta, dc:title, _);;""",
        id="r2",
    ),
]

EXAMPLE_2 = parse_rule(
    NAMESPACES
    + """LET $updated_lo := resource(http://www.dcs.bbk.ac.uk/users/sys)
                    /target(ext3:messages)/target(ext3:updated_LOs)
ON INSERT (resource(),dc:type,_)
IF True
DO INSERT ($updated_lo,seq++,$delta);;""",
    id="r",
)


def test_example_1_nodes_of_action_and_event_share_lo_so_r1_may_trigger_r2():
    analysis = Analysis(EXAMPLE_1, MERGED)
    scope = Scope(analysis.index, {})
    (action,) = analysis["r1"].rule.actions
    assert nodes(action, scope) & nodes(analysis["r2"].rule.event, scope) == {SELENE["LO"]}
    trigger = analysis.may_trigger("r1", "r2")
    assert trigger is not None
    assert "may insert into the instances of <http://www.dcs.bbk.ac.uk/selene/schema#LO>" in trigger.reason
    assert analysis.may_trigger("r2", "r1") is None


def test_example_2_triggered_triples_queried_and_updated():
    analysis = Analysis([EXAMPLE_2], MERGED)
    (a,) = parse_updates(f"{NAMESPACES} INSERT (resource({LOS}BK187),dc:type,'Book');;")
    assert analysis.triggered(a) == ("r",)
    assert analysis.triggered_triples_queried(a) == {
        SchemaTriple(SELENE["LO"], DC["type"], XSD["string"]),
        SchemaTriple(SELENE["User"], EXT3["messages"], SELENE["Messages"]),
        SchemaTriple(SELENE["Messages"], EXT3["updated_LOs"], SELENE["updated_LOs"]),
    }
    assert analysis.triggered_triples_updated(a) == {
        SchemaTriple(SELENE["updated_LOs"], RDFS["ContainerMembershipProperty"], SELENE["LO"])
    }


def test_example_3_relevance_to_figures_1_and_2():
    rule = resolved(EXAMPLE_3, MERGED)
    assert e_relevant(rule, FIGURE_1).holds
    assert e_relevant(rule, FIGURE_2).holds
    assert c_relevant(rule, FIGURE_1).reason.endswith("the schema has <http://purl.org/dc/elements/1.1/subject>")
    assert str(EXT1["interests"]) in c_relevant(rule, FIGURE_2).reason
    assert c_relevant(rule, FIGURE_1).holds
    assert c_relevant(rule, FIGURE_2).holds
    assert a_relevant(rule, FIGURE_2, MERGED).holds
    refused = a_relevant(rule, FIGURE_1, MERGED)
    assert not refused.holds
    assert str(RDFS["ContainerMembershipProperty"]) in refused.reason
