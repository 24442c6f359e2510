"""Whatever is thrown at it, the command line answers in words: no traceback, no crash, nothing half done."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.cli.samples import EVENT, FORMULA, QUERY

GRAPH = '@prefix ex: <urn:ex:>\n?x(<= ex:C) ex:p ?y(> 3, <= 4.5)\n?y a "z"@en\n'
TURTLE = '@prefix ex: <urn:ex:> . ex:a ex:b [ ex:c ( 1 "x"@en true ) ] ; a ex:D .'
TRIG = "@prefix ex: <urn:ex:> . ex:g { ex:a ex:b << ex:a ex:b ex:c >> }"
JSON = '{"@context": {"p": "urn:p"}, "@id": "urn:g", "@graph": [{"@id": "urn:a", "p": {"@value": "1"}}]}'
XML = (
    '<?xml version="1.0"?><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:e="urn:e:">'
    '<rdf:Description rdf:about="urn:a"><e:b rdf:parseType="Collection"><e:C/></e:b></rdf:Description></rdf:RDF>'
)
GENERAL = """SELECT ?x (COUNT(*) AS ?n) WHERE { ?x (<urn:p>|^<urn:q>)*/<urn:r>+ ?y OPTIONAL { ?y a ?t BIND(STR(?t) AS ?s) }
  MINUS { ?x <urn:no> 1.0e3 } FILTER(NOT EXISTS { ?x ?p true } && REGEX(?s, "^a.*b$", "i") || ?y IN (1, "b"@en)) VALUES ?t { UNDEF }
} GROUP BY ?x HAVING(?n > 1) ORDER BY DESC(?x) LIMIT 3"""  # noqa: E501

SUBSCRIPTIONS = {"s.rq": QUERY, "g.rq": GENERAL, "s.formula": FORMULA, "s.graph": GRAPH}
EVENTS = {"e.nq": EVENT, "e.ttl": TURTLE, "e.trig": TRIG, "e.jsonld": JSON, "e.rdf": XML}
ADVERTISEMENT = (
    "@prefix tw: <urn:triplewire:> . [] a tw:ValueAdvertisement ; tw:offers [ tw:property tw:p ; tw:value 1 ]."
)

# Pieces that matter to some syntax or other; spliced into good text they make bad text of every kind.
PIECES = st.sampled_from(
    [
        *(
            "",
            " ",
            "\n",
            '"',
            "'",
            '"""',
            "<",
            ">",
            "<<",
            ">>",
            "{",
            "}",
            "(",
            ")",
            "[",
            "]",
            "@",
            "^^",
            "?",
            "_:b",
            "#",
        ),
        *("\\", "\\u", "\\uD800", "\x00", "\u202e", "\ufeff", "é", "😀", ";", ".", ",", "|", "!", "*", "-", "1e999"),
        *("SELECT", "SERVICE", "FROM", "a", "&amp;", "<!DOCTYPE x>", "]]>", "null", "true", "NaN", "00", "9" * 400),
    ]
)
NOISE = (b"", b"\n", b"\x00" * 100, b"\xff\xfe\x00", *(bracket * 50_000 for bracket in (b"{", b"(", b"<", b'"')))


@st.composite
def spoiled(draw, good: dict[str, str]) -> tuple[str, bytes]:
    """One of the good texts with a few cuts and splices, perhaps not even UTF-8 any more."""
    name = draw(st.sampled_from(sorted(good)))
    text = good[name]
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = draw(st.integers(start, min(len(text), start + 12)))
        text = text[:start] + draw(PIECES) + text[end:]
    data = text.encode(errors="replace")
    return name, data[: draw(st.integers(0, len(data)))] + b"\xff" if draw(st.integers(0, 30)) == 0 else data


def assert_in_words(result, codes: set[int]) -> None:
    assert result.exit_code in codes, result.output
    assert "Traceback" not in result.output
    assert "a bug in" not in result.stderr, result.stderr
    assert bool(result.stderr) == (result.exit_code == max(codes)), result.output


hostile = settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@hostile
@given(spoiled(SUBSCRIPTIONS))
def test_spoiled_subscriptions(workspace, run, case):
    name, data = case
    (workspace / name).write_bytes(data)
    assert_in_words(run("match", "-s", name, "-e", "good.nq", "-f", "json"), {0, 1})
    assert_in_words(run("explain", name, "--json"), {0, 1})
    assert_in_words(run("subsumes", "good.rq", name), {0, 1, 2})


@hostile
@given(spoiled(EVENTS))
def test_spoiled_events(workspace, run, case):
    name, data = case
    (workspace / name).write_bytes(data)
    assert_in_words(run("match", "-s", "good.rq", "-e", name), {0, 1})


@hostile
@given(spoiled({"t.ttl": TURTLE, "ad.ttl": ADVERTISEMENT}))
def test_spoiled_taxonomies_and_advertisements(workspace, run, case):
    name, data = case
    (workspace / name).write_bytes(data)
    assert_in_words(run("match", "-s", "good.rq", "-e", "good.nq", "-t", name), {0, 1})
    assert_in_words(run("covers", name, "good.rq"), {0, 1, 2})


@pytest.mark.parametrize("name", ["s.rq", "s.formula", "s.graph", "e.nq", "e.ttl", "e.trig", "e.jsonld", "e.rdf"])
def test_nothing_but_noise(workspace, run, name):
    for noise in (
        b"",
        b"\n",
        b"\x00" * 100,
        b"\xff\xfe\x00",
        b"{" * 50_000,
        b"(" * 50_000,
        b"<" * 50_000,
        b'"' * 50_000,
    ):
        (workspace / name).write_bytes(noise)
        kind = "-s" if name.startswith("s") else "-e"
        other = ("-e", "good.nq") if kind == "-s" else ("-s", "good.rq")
        result = run("match", kind, name, *other)
        assert_in_words(result, {0, 1})
        assert name in result.stderr
