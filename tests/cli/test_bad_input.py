"""Every kind of bad input gets a clear error that names the file, the line and what was wanted, an exit code of 1 or 2,
nothing on standard output, and no traceback."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.samples import DC, EVENT

DEEP = 10_000


class Bad(NamedTuple):
    """A file that is wrong, where, and what the message must say."""

    name: str
    content: str | bytes
    line: int | None
    says: str


def deep_groups(query: str) -> str:
    return query.replace("BODY", "{" * DEEP + "}" * DEEP)


MALFORMED_RDF = [
    Bad("bad.nq", '<urn:a> <urn:b> "c" <urn:g> .\n<urn:a> <urn:b> .\n', 2, "object"),
    Bad("bad.nt", '<urn:a> <urn:b> "c" .\n<urn:a> "b" <urn:c> .\n', 2, "predicate"),
    Bad("bad.ttl", "@prefix ex: <urn:ex:> .\nex:a ex:b ex:c\nex:d ex:e ex:f .\n", 3, "dot"),
    Bad("bad.trig", "@prefix ex: <urn:ex:> .\nex:g { ex:a ex:b ex:c }\nex:h { ex:a }\n", 3, "predicate"),
    Bad("bad.jsonld", '{"@id": "urn:a",\n "urn:b": [}\n', 2, "bracket"),
    Bad(
        "bad.rdf",
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">\n<rdf:Description>\n</x>\n',
        3,
        "well-formed",
    ),
]

BAD_EVENTS = [
    *MALFORMED_RDF,
    Bad("utf8.nq", b'<urn:a> <urn:b> "ok" <urn:g> .\n<urn:a> <urn:b> "\xff" <urn:g> .\n', 2, "UTF-8"),
    Bad("relative.nq", "\n<a> <urn:b> <urn:c> <urn:g> .\n", 2, "IRI"),
    Bad("surrogate.nq", '<urn:a> <urn:b> "\\uD800" <urn:g> .\n', 1, "unicode"),
    Bad("events.foo", "whatever", None, r"suffix.*\.nq"),
    Bad("empty.nq", "# nothing here\n", None, "triple|quad"),
    Bad("empty.trig", "<urn:g> { }\n", None, "triple|quad"),
    Bad(
        "entity.rdf",
        '<?xml version="1.0"?>\n<!DOCTYPE x [<!ENTITY a "<aaaa/>">]>\n<x>&a;</x>\n',
        2,
        "DOCTYPE",
    ),
    Bad("remote.jsonld", '{"name": "x",\n "@context": ["http://example.org/context"]}', 2, "context"),
    Bad("import.jsonld", '{"@context": {\n\n"@import": "http:\\/\\/example.org/context"}}', 1, "context"),
    Bad("deep.ttl", "<urn:a> <urn:b> " + "[ <urn:b> " * DEEP + "1" + "]" * DEEP + " .\n", 1, "too deep"),
    Bad("deep.jsonld", '{"urn:b":\n' * DEEP + "1" + "}" * DEEP, 65, "too deep"),
    Bad("deep.rdf", "<x>\n" * DEEP + "</x>" * DEEP, 65, "too deep"),
    Bad("literal.ttl", '<urn:a> <urn:b> 1 ,\n"' + "x" * 300_000 + '", 2 .\n', 2, "literal too long"),
]

BAD_SUBSCRIPTIONS = [
    Bad("malformed.rq", "SELECT ?x\nWHERE { ?x <urn:p> }\n", 2, "wanted|expected"),
    Bad("unclosed.rq", "SELECT ?x\nWHERE { ?x <urn:p> 1\n", 3, "wanted|expected"),
    Bad("empty.rq", "", 1, "wanted|expected"),
    Bad("deep-groups.rq", deep_groups("SELECT * WHERE { BODY }"), 1, "deep|depth|nest"),
    Bad("deep-parens.rq", "ASK { ?s ?p ?o FILTER(" + "(" * DEEP + "?o" + ")" * DEEP + ") }", 1, "deep|depth|nest"),
    Bad("deep-nots.rq", "ASK { ?s ?p ?o FILTER(" + "!" * DEEP + "?o) }", 1, "deep|depth|nest|at most"),
    Bad("deep-ands.rq", "ASK { ?s ?p ?o FILTER(" + "?o && " * DEEP + "?o) }", 1, "deep|depth|nest|at most|many"),
    Bad("large.rq", "ASK { ?s ?p ?o } #" + "x" * 5_000_000, None, "large|long|at most"),
    Bad("service.rq", "ASK {\n SERVICE <http://example.org/sparql> { ?s ?p ?o }\n}", 2, "SERVICE"),
    Bad("from.rq", "SELECT *\nFROM <http://example.org/g>\nWHERE { ?s ?p ?o }", 2, "FROM"),
    Bad("from-named.rq", "SELECT * FROM NAMED <http://example.org/g> WHERE { ?s ?p ?o }", 1, "FROM"),
    Bad("load.rq", "LOAD <http://example.org/g>", 1, "LOAD"),
    Bad("insert.rq", "INSERT DATA { <urn:a> <urn:b> <urn:c> }", 1, "INSERT|update"),
    Bad("delete.rq", "PREFIX ex: <urn:>\nDELETE WHERE { ?s ?p ?o }", 2, "DELETE|update"),
    Bad("describe.rq", "DESCRIBE <urn:a>", 1, "DESCRIBE"),
    Bad("regex.rq", 'ASK { ?s ?p ?o FILTER(REGEX(?o, "(((a{1000}){1000}){1000})")) }', 1, "regex|regular"),
    Bad(
        "long-regex.rq",
        'ASK { ?s ?p ?o FILTER(REGEX(?o, "' + "a|" * 99_999 + '")) }',
        None,
        "regex|regular|at most",
    ),
    Bad("prefix.rq", "SELECT *\nWHERE { ?s nowhere:p ?o }", 2, "nowhere"),
    Bad("unbound.formula", f"@prefix dc: <{DC}>\nX, Z : t(X, <dc:date>, D)\n", 2, "Z"),
    Bad("malformed.formula", f"@prefix dc: <{DC}>\nX : t(X, <dc:date> D)\n", 2, "wanted|expected"),
    Bad("deep.formula", "X : t(X, <urn:p>, D) and " + "(" * DEEP + "D = 1" + ")" * DEEP, 1, "deep|depth|nest"),
    Bad("edges.graph", "?x <urn:p> ?y\n" * 1_001, 1_001, "edges"),
    Bad("malformed.graph", "?x <urn:p> ?y\n?x <urn:p>\n", 2, "wanted|expected"),
    Bad("operator.graph", "?x <urn:p> ?y(~ 3)\n", 1, "wanted|expected"),
    Bad("what.txt", "ASK { ?s ?p ?o }", None, r"\.rq"),
    Bad("broken.jsonl", '{"id": "a", "language": "sparql", "text": "ASK { ?s ?p ?o }"}\n{"id": \n', 2, "object"),
    Bad("missing.jsonl", '{"id": "a", "language": "sparql"}\n', 1, "text"),
    Bad("language.jsonl", '{"id": "a", "language": "cypher", "text": "MATCH (n)"}\n', 1, "sparql.*cypher"),
    Bad("query.jsonl", '\n{"id": "a", "language": "sparql", "text": "SELECT"}\n', 2, "wanted|expected"),
    Bad("list.jsonl", "[1, 2]\n", 1, "object"),
    Bad("not.parquet", b"PAR1 no", None, "(?i)parquet"),
]

BAD_TAXONOMIES = [
    Bad("cycle.ttl", "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> .\n"
        "<urn:a> r:subClassOf <urn:b> . <urn:b> r:subClassOf <urn:a> .\n", 2, "cycle.*urn:a.*urn:b"),
    Bad("bad.ttl", "<urn:a> <urn:b>\n\n .", 3, "object"),
    Bad("taxonomy.foo", "", None, "suffix|format"),
    Bad("entity.rdf", '<!DOCTYPE x [<!ENTITY a "<aaaa/>">]>\n<x>&a;</x>\n', 1, "DOCTYPE"),
    Bad("literal.ttl", "@prefix r: <http://www.w3.org/2000/01/rdf-schema#> .\n<urn:a> r:subClassOf 3 .", 2, "class"),
]  # fmt: skip


def put(workspace: Path, bad: Bad) -> str:
    content = bad.content if isinstance(bad.content, bytes) else bad.content.encode()
    (workspace / bad.name).write_bytes(content)
    return bad.name


def assert_refused(result, bad: Bad, code: int) -> None:
    assert result.exit_code == code, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert "a bug in" not in result.stderr
    place = rf"{re.escape(bad.name)}(:| line ){bad.line}\b" if bad.line else re.escape(bad.name)
    assert re.search(place, result.stderr), result.stderr
    assert re.search(bad.says, result.stderr.split(bad.name, 1)[1], re.DOTALL), result.stderr


def named(case: Bad) -> str:
    return case.name


@pytest.mark.parametrize("bad", BAD_EVENTS, ids=named)
def test_a_bad_event_stops_match(workspace, run, bad):
    result = run("match", "--subscriptions", "good.rq", "--events", "good.nq", put(workspace, bad), "--format", "json")
    assert_refused(result, bad, 1)


@pytest.mark.parametrize("bad", BAD_SUBSCRIPTIONS, ids=named)
def test_a_bad_subscription_stops_match(workspace, run, bad):
    result = run("match", "--subscriptions", "good.rq", put(workspace, bad), "--events", "good.nq", "--format", "json")
    assert_refused(result, bad, 1)


@pytest.mark.parametrize("bad", BAD_SUBSCRIPTIONS, ids=named)
def test_a_bad_subscription_cannot_be_explained(workspace, run, bad):
    assert_refused(run("explain", put(workspace, bad), "--json"), bad, 1)


@pytest.mark.parametrize("bad", BAD_SUBSCRIPTIONS, ids=named)
def test_a_bad_subscription_is_not_answered_with_no(workspace, run, bad):
    assert_refused(run("subsumes", "good.rq", put(workspace, bad)), bad, 2)
    assert_refused(run("subsumes", bad.name, "good.rq"), bad, 2)


@pytest.mark.parametrize("bad", BAD_TAXONOMIES, ids=named)
def test_a_bad_taxonomy_stops_match(workspace, run, bad):
    result = run("match", "--subscriptions", "good.rq", "--events", "good.nq", "--taxonomy", put(workspace, bad))
    assert_refused(result, bad, 1)


@pytest.mark.parametrize("bad", MALFORMED_RDF, ids=named)
def test_a_bad_advertisement_is_not_answered_with_no(workspace, run, bad):
    assert_refused(run("covers", put(workspace, bad), "good.rq"), bad, 2)


def test_one_event_iri_with_two_contents_names_both_files(workspace, run):
    (workspace / "other.nq").write_text(EVENT.replace("2004", "2005"))
    result = run("match", "--subscriptions", "good.rq", "--events", "good.nq", "other.nq")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "urn:event:1" in result.stderr
    assert "good.nq" in result.stderr
    assert "other.nq" in result.stderr


def test_one_subscription_id_with_two_queries_is_an_error(workspace, run):
    (workspace / "more").mkdir()
    (workspace / "more" / "good.rq").write_text("ASK { ?s ?p ?o }")
    result = run("match", "--subscriptions", "good.rq", "more", "--events", "good.nq")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "good" in result.stderr
    assert "more" in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        ("match", "--subscriptions", "nowhere.rq", "--events", "good.nq"),
        ("match", "--subscriptions", "good.rq", "--events", "nowhere.rq"),
        ("match", "--subscriptions", "good.rq", "--events", "good.nq", "--taxonomy", "nowhere.rq"),
        ("explain", "nowhere.rq"),
        ("subsumes", "good.rq", "nowhere.rq"),
        ("covers", "nowhere.rq", "good.rq"),
    ],
)
def test_a_missing_file_is_named(workspace, run, args):
    result = run(*args)
    assert result.exit_code == (1 if args[0] in ("match", "explain") else 2)
    assert result.stdout == ""
    assert "nowhere.rq" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_folder_without_anything_to_read_is_an_error(workspace, run):
    (workspace / "void").mkdir()
    for args in (
        ("--subscriptions", "void", "--events", "good.nq"),
        ("--subscriptions", "good.rq", "--events", "void"),
    ):
        result = run("match", *args)
        assert result.exit_code == 1
        assert "void" in result.stderr


def test_a_parquet_file_without_the_columns_is_an_error(workspace, run):
    pq.write_table(pa.table({"id": ["a"], "query": ["ASK {}"]}), workspace / "wrong.parquet")
    result = run("match", "--subscriptions", "wrong.parquet", "--events", "good.nq")
    assert result.exit_code == 1
    assert "wrong.parquet" in result.stderr
    assert "text" in result.stderr


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("match",),
        ("match", "--subscriptions", "good.rq"),
        ("match", "--events", "good.nq", "--subscriptions"),
        ("match", "--subscriptions", "good.rq", "--events", "good.nq", "--format", "xml"),
        ("match", "good.rq", "good.nq"),
        ("explain",),
        ("subsumes", "good.rq"),
        ("covers", "good.rq"),
        ("listen",),
    ],
)
def test_a_wrong_call_is_exit_code_2(workspace, run, args):
    result = run(*args)
    assert result.exit_code == 2
    assert "Traceback" not in result.output
