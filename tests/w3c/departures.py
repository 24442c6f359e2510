"""Which of the W3C's tests are not run, or come out otherwise, each with the reason."""

from __future__ import annotations

# By the folder: what is not the business of a query or an update over one dataset.
NOT_RUN = {
    "1.1/entailment": "entailment regimes are not offered over the living graph; a schema of RDFTL is another thing",
    "1.1/service": "SERVICE is refused by name: a node asks nobody else",
    "1.1/syntax-fed": "SERVICE is refused by name: a node asks nobody else",
    "1.1/service-description": "tests of an endpoint's description of itself, which a node does not give",
    "1.1/protocol": "tests of HTTP, in prose; tests/node/living has ours",
    "1.1/http-rdf-update": "tests of HTTP, in prose; tests/node/living has ours",
    "1.1/csv-tsv-res": "results are written by Oxigraph, in a process of its own",
}

_BY_VALUE = "numbers are kept by value, as Oxigraph's store keeps them: 01 and +1 are the integer 1"
_RDF_1_0 = "in RDF 1.1 a simple literal is one of type xsd:string; the test is of RDF 1.0"
_DOT = "in SPARQL 1.1 a number does not end with a dot; the test is of SPARQL 1.0"
_SHARED = "one graph, in FROM and in FROM NAMED, has the same blank nodes in both; the test reads its file twice"
_UNKNOWN = "a function that nobody knows is refused when the query is read, not an error with each solution"
_LOAD = "LOAD is refused by name, with SILENT as well: a node asks nobody else"
_ZONE = "dates with and without a zone are different, as XSD 1.1 has it"
_SIMPLIFIED = (
    "a filter in a group of its own does not see outside, as section 18.2 says; its sister test, which we pass, says so"
)

OTHERWISE: dict[str, str] = {
    "1.0/basic/term-6": _DOT,
    "1.0/basic/term-7": _DOT,
    "1.0/syntax-sparql1/syntax-lit-08": _DOT,
    "1.0/dataset/dawg-dataset-09": _SHARED,
    "1.0/dataset/dawg-dataset-10": _SHARED,
    "1.0/dataset/dawg-dataset-12": _SHARED,
    "1.0/distinct/distinct-1": _BY_VALUE,
    "1.0/distinct/distinct-2": _RDF_1_0,
    "1.0/distinct/distinct-9": _BY_VALUE,
    "1.0/expr-builtin/dawg-str-1": _BY_VALUE,
    "1.0/expr-builtin/dawg-str-2": _BY_VALUE,
    "1.0/expr-builtin/sameTerm-simple": _BY_VALUE,
    "1.0/expr-builtin/sameTerm-eq": _BY_VALUE,
    "1.0/expr-builtin/sameTerm-not-eq": _BY_VALUE,
    "1.0/expr-equals/eq-graph-1": _BY_VALUE,
    "1.0/expr-equals/eq-graph-2": _BY_VALUE,
    "1.0/open-world/open-eq-01": _BY_VALUE,
    "1.0/open-world/date-2": _ZONE,
    "1.0/optional-filter/dawg-optional-filter-005-simplified": _SIMPLIFIED,
    "1.1/functions/strdt03": _RDF_1_0,
    "1.1/functions/strlang03": _RDF_1_0,
    "1.0/syntax-sparql1/syntax-expr-05": _UNKNOWN,
    "1.0/syntax-sparql1/syntax-order-05": _UNKNOWN,
    "1.0/syntax-sparql1/syntax-order-06": _UNKNOWN,
    "1.0/syntax-sparql2/syntax-function-01": _UNKNOWN,
    "1.0/syntax-sparql2/syntax-function-02": _UNKNOWN,
    "1.0/syntax-sparql2/syntax-function-03": _UNKNOWN,
    "1.0/syntax-sparql2/syntax-function-04": _UNKNOWN,
    "1.1/syntax-query/test_4": _UNKNOWN,
    "1.1/update-silent/load-silent": _LOAD,
    "1.1/update-silent/load-into-silent": _LOAD,
    "1.1/syntax-update-1/test_1": _LOAD,
    "1.1/syntax-update-1/test_2": _LOAD,
    "1.1/syntax-update-1/test_3": _LOAD,
    "1.1/syntax-update-1/test_4": _LOAD,
    "1.1/syntax-update-1/test_37": _LOAD,
}
