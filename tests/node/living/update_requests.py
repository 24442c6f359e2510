"""Random SPARQL Update requests over a few terms, so that operations meet."""

from __future__ import annotations

from hypothesis import strategies as st

GRAPHS = ("<urn:g>", "<urn:h>")
NODES = ("<urn:a>", "<urn:b>", "<urn:c>")
VALUES = ("1", '"01"^^<http://www.w3.org/2001/XMLSchema#int>', '"x"', '"x"@en', "true", "1.50")
PROPERTIES = ("<urn:p>", "<urn:q>")

nodes = st.sampled_from(NODES)
properties = st.sampled_from(PROPERTIES)
objects = st.sampled_from(NODES + VALUES)
variables = st.sampled_from(("?x", "?y", "?z"))
graphs = st.sampled_from(GRAPHS)
places = st.sampled_from((*(f"GRAPH {name}" for name in GRAPHS), "DEFAULT"))


def _block(triples: list[str], graph: str | None) -> str:
    body = " . ".join(triples)
    return body if graph is None else f"GRAPH {graph} {{ {body} }}"


def quads(subjects, predicates, targets, names, most: int = 4):
    """Triples in the default graph and in others."""
    triples = st.lists(st.builds("{} {} {}".format, subjects, predicates, targets), min_size=1, max_size=most)
    blocks = st.builds(_block, triples, st.none() | names)
    # A dot stands between triples and other triples, and nowhere else is it wrong.
    return st.lists(blocks, min_size=1, max_size=2).map(" . ".join)


data = quads(nodes, properties, objects, graphs)
blanks = quads(nodes | st.just("_:b"), properties, objects | st.just("_:b"), graphs)
pattern = quads(nodes | variables, properties | st.just("?p"), objects | variables, graphs | st.just("?g"), 2)
template = quads(nodes | variables, properties, objects | variables, graphs, 2)
made = quads(nodes | variables | st.just("_:n"), properties, objects | variables, graphs, 2)
filters = st.sampled_from(
    ("", "FILTER(?x != ?y)", "FILTER(BOUND(?z))", "OPTIONAL { ?x <urn:q> ?z }", "FILTER(isIRI(?x))")
)
using = st.sampled_from(("", "", "USING <urn:g>", "USING <urn:g> USING <urn:h>", "USING NAMED <urn:h>"))
with_ = st.sampled_from(("", "", "WITH <urn:g>"))

modify = st.builds(
    "{} DELETE {{ {} }} INSERT {{ {} }} {} WHERE {{ {} {} }}".format, with_, template, made, using, pattern, filters
)
operations = st.one_of(
    st.builds("INSERT DATA {{ {} }}".format, data | blanks),
    st.builds("DELETE DATA {{ {} }}".format, data),
    st.builds("DELETE WHERE {{ {} }}".format, pattern),
    modify,
    modify,
    st.builds("CLEAR SILENT {}".format, st.sampled_from(("DEFAULT", "NAMED", "ALL", "GRAPH <urn:g>"))),
    st.builds("DROP SILENT {}".format, st.sampled_from(("DEFAULT", "GRAPH <urn:h>"))),
    st.builds("CREATE SILENT GRAPH {}".format, graphs),
    st.builds("{} SILENT {} TO {}".format, st.sampled_from(("ADD", "MOVE", "COPY")), places, places),
)


def _with_own_labels(request: list[str]) -> list[str]:
    """Two INSERT DATA of one request share no blank-node label (SPARQL 1.1, section 19.6)."""
    return [operation.replace("_:b", f"_:b{number}") for number, operation in enumerate(request)]


requests = st.lists(operations, min_size=1, max_size=3).map(_with_own_labels)
