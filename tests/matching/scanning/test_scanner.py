"""The scanner against pyoxigraph: the same quads, or both refuse; and the kernels against their naive twins."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from codecs import BOM_UTF8

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pyoxigraph import Literal, NamedNode, RdfFormat, parse
from tests.matching.scanning.naive_scanner import naive_events, naive_kind, naive_lines
from tests.matching.scanning.nquads_mutations import document, mutated

from triplewire.errors import InvalidTerm
from triplewire.matching.kernels.columns import (
    DATATYPE,
    DUPLICATE,
    END,
    ESCAPED,
    EVENT_LINE,
    EXACT,
    FRESH,
    HASH,
    LEXICAL_END,
    LEXICAL_START,
    NUMBER_STATE,
    OBJECT_KIND,
    QUAD_LINE,
    QUAD_STATE,
    ROUNDED,
    START,
    TAG_END,
    TAG_START,
    G,
    O,
    P,
    S,
)
from triplewire.matching.kernels.hashing import hash_term
from triplewire.matching.kernels.scan.datatypes import DECIMAL, INTEGER
from triplewire.matching.scanning.scanner import ScanResult, scan
from triplewire.rdf.terms import XSD

SEED = 0x5EED


def assert_agrees_with_the_parser(data: bytes) -> None:
    """Same events, same triples in each, same broken lines; terms are spelled as pyoxigraph prints them."""
    result = scan(data, SEED)
    expected = naive_events(data)
    assert [result.graph(event) for event in range(len(result))] == [event.graph for event in expected]
    assert [frozenset(result.triples(event)) for event in range(len(result))] == [e.triples for e in expected]
    assert [result.rejected(event) for event in range(len(result))] == [bool(e.broken) for e in expected]
    broken = [(line, event) for event, e in enumerate(expected) for line in e.broken]
    assert [(error.line, error.event) for error in result.errors] == broken
    assert_rows_are_canonical(result, data)


def assert_rows_are_canonical(result: ScanResult, data: bytes) -> None:
    lines = {line.number: line.quad for line in naive_lines(data)}
    for row in range(len(result.quads)):
        quad = lines[int(result.quads[row, QUAD_LINE])]
        if quad is None:
            continue
        whole = str(quad).encode()
        spelled = b" ".join(text(result, row, term) for term in (S, P, O, G))
        assert spelled == whole
        for term in (S, P, O, G):
            assert result.quads[row, term + HASH] == hash_term(text(result, row, term), SEED)
        assert result.quads[row, OBJECT_KIND] == naive_kind(quad.object)
        if isinstance(quad.object, Literal):
            assert_literal(result, row, quad.object)


def assert_literal(result: ScanResult, row: int, literal: Literal) -> None:
    lexical = span(result, row, LEXICAL_START, LEXICAL_END)
    plain = str(Literal(literal.value))[1:-1]
    assert lexical == plain.encode()
    assert result.quads[row, ESCAPED] == ("\\" in plain)
    tag = span(result, row, TAG_START, TAG_END).decode()
    if literal.language:
        assert tag == literal.language + (f"--{literal.direction.value}" if literal.direction else "")
    else:
        assert tag == ("" if literal.datatype == XSD["string"] else literal.datatype.value)


def text(result: ScanResult, row: int, term: int) -> bytes:
    return span(result, row, term + START, term + END)


def span(result: ScanResult, row: int, start: int, end: int) -> bytes:
    return result.data[result.quads[row, start] : result.quads[row, end]]


class TestAgainstPyoxigraph:
    def test_a_thousand_mutated_documents(self) -> None:
        random_ = random.Random(20240607)
        for _ in range(1000):
            assert_agrees_with_the_parser(mutated(document(random_, 20), random_, 6))

    @settings(max_examples=300, deadline=None)
    @given(st.integers(0, 2**32), st.integers(1, 6), st.integers(0, 12))
    def test_small_documents(self, seed: int, lines: int, mutations: int) -> None:
        random_ = random.Random(seed)
        assert_agrees_with_the_parser(mutated(document(random_, lines), random_, mutations))

    @settings(max_examples=300, deadline=None)
    @given(st.binary(max_size=12), st.integers(0, 60))
    @example(inserted=BOM_UTF8, place=0)
    @example(inserted=BOM_UTF8, place=8)
    def test_any_bytes_put_into_a_line(self, inserted: bytes, place: int) -> None:
        line = b'<urn:s> <urn:p> "a literal"@en <http://example.org/event> .\n'
        assert_agrees_with_the_parser(line[:place] + inserted + line[place:])

    @settings(max_examples=300, deadline=None)
    @given(st.text(alphabet="abz09AZ:/?#[]@!$&'()*+,;=%-._~é\ue000\ufffe\U0001fffe\U000e0001 \\", max_size=14))
    def test_iris(self, iri: str) -> None:
        for prefix in ("", "a:", "http://", "http://a"):
            term = f"<{prefix}{iri}>"
            assert_agrees_with_the_parser(f"{term} <urn:p> {term} <urn:g> .\n<urn:s> {term} <urn:o> {term} .".encode())

    @settings(max_examples=200, deadline=None)
    @given(st.from_regex(r"[a-zA-Z0-9]{0,9}(-[a-zA-Z0-9]{0,9}){0,3}", fullmatch=True))
    def test_languages(self, language: str) -> None:
        assert_agrees_with_the_parser(f'<urn:s> <urn:p> "x"@{language} <urn:g> .'.encode())

    @settings(max_examples=200, deadline=None)
    @given(st.lists(st.characters(exclude_categories=["Cs"]), max_size=6).map("".join))
    def test_literals_as_pyoxigraph_prints_them(self, value: str) -> None:
        line = f"<urn:s> <urn:p> {Literal(value)} <urn:g> .\n".encode()
        raw = f'<urn:s> <urn:p> "{value}" <urn:g> .\n'.encode()
        assert_agrees_with_the_parser(line)
        assert_agrees_with_the_parser(raw)

    @pytest.mark.parametrize(
        "sequence",
        [
            "c080",
            "c1bf",
            "e08080",
            "e09fbf",
            "eda080",
            "edbfbf",
            "f0808080",
            "f08fbfbf",
            "f4908080",
            "f5808080",
            "80",
            "ff",
            "c3",
            "e282",
            "f09f98",
        ],
    )
    def test_a1_bytes_that_are_not_utf8_are_refused(self, sequence: str) -> None:
        for line in (b'<urn:s> <urn:p> "%s" <urn:g> .', b"<urn:%s> <urn:p> <urn:o> <urn:g> ."):
            data = line.replace(b"%s", bytes.fromhex(sequence))
            assert scan(data).errors
            assert_agrees_with_the_parser(data)

    @pytest.mark.parametrize("ending", [b"\n", b"\r\n", b"\r", b"\n\r", b"\n\n", b"\r\r\n"])
    @pytest.mark.parametrize("final", [True, False])
    def test_line_ends(self, ending: bytes, final: bool) -> None:
        lines = [b"<urn:s> <urn:p> <urn:o%d> <urn:g%d> ." % (n, n // 2) for n in range(4)]
        data = ending.join(lines) + (ending if final else b"")
        assert_agrees_with_the_parser(data)
        assert len(scan(data)) == 2

    def test_whole_documents_give_what_one_parse_gives(self) -> None:
        data = document(random.Random(3), 200)
        quads = set(parse(data, format=RdfFormat.N_QUADS))
        result = scan(data)
        found = {(result.event_iri(event), triple) for event in range(len(result)) for triple in result.triples(event)}
        assert found == {(quad.graph_name, quad.triple) for quad in quads}


class TestOneSpelling:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ('"aA"', '"a\\u0041"'),
            ('"aA"', '"a\\U00000041"'),
            ('"x"', '"x"^^<http://www.w3.org/2001/XMLSchema#string>'),
            ('"x"@en', '"x"@EN'),
            ('"x"@en-gb', '"x"@en-GB'),
            ('"a\\tb"', '"a\tb"'),
            ('"a\\tb"', '"a\\u0009b"'),
            ('"\'"', '"\\\'"'),
            ('"\\u0000"', '"\x00"'),
            ('"\\u007F"', '"\x7f"'),
            ('"\\uFFFE"', '"\ufffe"'),
            ('"é"', '"\\u00E9"'),
            ("<urn:A>", "<urn:\\u0041>"),
            ('"5"^^<urn:d>', '"5"^^ <urn:\\u0064>'),
            ('<<( <urn:a> <urn:b> "x" )>>', '<<(<urn:a> <urn:b> "\\u0078")>>'),
        ],
    )
    def test_two_spellings_are_one_term_and_one_quad(self, one: str, other: str) -> None:
        data = f"<urn:s> <urn:p> {one} <urn:g> .\n<urn:s> <urn:p> {other} <urn:g> .\n".encode()
        result = scan(data, SEED)
        assert result.quads[:, QUAD_STATE].tolist() == [FRESH, DUPLICATE]
        assert result.quads[0, O + HASH] == result.quads[1, O + HASH]
        assert text(result, 0, O) == text(result, 1, O) == one.encode()

    def test_lexical_forms_of_one_value_are_two_terms(self) -> None:
        lines = [f'<urn:s> <urn:p> "{n}"^^<{XSD["integer"].value}> <urn:g> .\n' for n in ("1", "01")]
        assert len(scan("".join(lines).encode()).triples(0)) == 2

    def test_canonical_lines_need_no_strict_parser(self) -> None:
        data = document(random.Random(9), 50)
        result = scan(data)
        assert result.data == data + b"\n" * 8

    def test_a_byte_order_mark_is_dropped(self) -> None:
        assert not scan(b"\xef\xbb\xbf<urn:s> <urn:p> <urn:o> <urn:g> .").errors


class TestEvents:
    def test_quads_of_one_graph_are_one_event(self) -> None:
        data = b"# two events\n\n" + b"".join(b"<urn:s> <urn:p> <urn:%d> <urn:g%d> .\n" % (n, n // 3) for n in range(6))
        result = scan(data)
        assert [result.event_iri(event).value for event in range(2)] == ["urn:g0", "urn:g1"]
        assert result.events[:, EVENT_LINE].tolist() == [3, 6]
        assert [triple.object.value for triple in result.triples(1)] == ["urn:3", "urn:4", "urn:5"]

    def test_a_graph_that_comes_again_is_another_event(self) -> None:
        data = b"".join(b"<urn:s> <urn:p> <urn:o> <urn:%c> .\n" % graph for graph in b"aba")
        assert [scan(data).graph(event) for event in range(3)] == [b"<urn:a>", b"<urn:b>", b"<urn:a>"]

    def test_graphs_that_begin_alike_are_different(self) -> None:
        data = b"".join(b"<urn:s> <urn:p> <urn:o> <urn:%s> .\n" % graph for graph in (b"a", b"ab", b"a", b"a/b/c/d/e"))
        assert len(scan(data)) == 4

    @pytest.mark.parametrize("size", [2, 10, 24, 25, 26, 200, 3000])
    def test_a_repeated_quad_counts_once(self, size: int) -> None:
        random_ = random.Random(size)
        numbers = [random_.randrange(size) for _ in range(size)]
        data = "".join(f"<urn:s> <urn:p{n % 3}> _:b{n} <urn:g> .\n" for n in numbers).encode()
        result = scan(data, SEED)
        first = [numbers.index(n) == place for place, n in enumerate(numbers)]
        assert [state == FRESH for state in result.quads[:, QUAD_STATE]] == first
        assert len(result.triples(0)) == len(set(numbers))

    def test_nquads_are_sorted_and_canonical(self) -> None:
        result = scan(b'<urn:s> <urn:p> "b" <urn:g>.\n <urn:s>\t<urn:p> "\\u0061" <urn:g> . # second\n')
        assert result.nquads(0) == b'<urn:s> <urn:p> "a" <urn:g> .\n<urn:s> <urn:p> "b" <urn:g> .\n'

    def test_terms_of_one_row(self) -> None:
        subject, predicate, object_ = scan(b'_:b <urn:p> "x\\n"@en <urn:g> .').terms(0)
        assert (str(subject), predicate, object_) == ("_:b", NamedNode("urn:p"), Literal("x\n", language="en"))

    def test_nothing(self) -> None:
        for data in (b"", b"\n", b"# only a comment", b" \t\r\n"):
            assert len(scan(data)) == len(scan(data).quads) == 0

    def test_memory_views_are_read_too(self) -> None:
        assert len(scan(memoryview(bytearray(b"<urn:s> <urn:p> <urn:o> <urn:g> .")))) == 1


def line(graph: str, content: str = "<urn:o>") -> str:
    return f"<urn:s> <urn:p> {content} <urn:{graph}> .\n"


class TestBrokenLines:
    def rejected(self, text_: str) -> list[tuple[bytes, bool]]:
        assert_agrees_with_the_parser(text_.encode())
        result = scan(text_.encode())
        return [(result.graph(event), result.rejected(event)) for event in range(len(result))]

    def test_a1_a_broken_line_rejects_its_event_and_no_other(self) -> None:
        data = line("a") + line("b") + line("b", '"open') + line("c")
        assert self.rejected(data) == [(b"<urn:a>", False), (b"<urn:b>", True), (b"<urn:c>", False)]

    def test_a_broken_line_between_lines_of_one_event_is_that_events(self) -> None:
        assert self.rejected(line("a") + "what?\n" + line("a")) == [(b"<urn:a>", True)]

    def test_a_broken_line_that_names_no_event_is_nobodys(self) -> None:
        found = self.rejected(line("a") + "what?\n" + line("b"))
        assert found == [(b"<urn:a>", False), (b"", True), (b"<urn:b>", False)]

    def test_data_that_ends_in_a_line_spoils_the_event_before(self) -> None:
        assert self.rejected(line("a") + line("b") + "<urn:s> <ur")[-1] == (b"<urn:b>", True)

    def test_the_error_has_line_column_and_reason(self) -> None:
        (error,) = scan((line("a") + "\n" + line("b", '"x"^^<nope>')).encode()).errors
        assert (error.line, error.column, error.event) == (3, 22, 1)
        assert error.message == "No scheme found in an absolute IRI"

    @pytest.mark.parametrize("graph", ["", "_:g"])
    def test_a_graph_iri_is_wanted(self, graph: str) -> None:
        (error,) = scan(f"<urn:s> <urn:p> <urn:o> {graph} .".encode()).errors
        assert error.message.startswith("wanted a graph IRI")

    def test_a3_deeply_nested_triple_terms_are_refused_before_they_crash_the_parser(self) -> None:
        depth = 50_000
        term = "<<( <urn:s> <urn:p> " * depth + "<urn:o>" + " )>>" * depth
        result = scan((line("a", term) + line("b")).encode())
        assert [result.rejected(event) for event in range(2)] == [True, False]
        assert "depth" in result.errors[0].message

    def test_a_rejected_event_has_no_iri(self) -> None:
        with pytest.raises(InvalidTerm, match="rejected"):
            scan(b"what?").event_iri(0)


class TestNumbers:
    def test_columns(self) -> None:
        integer, decimal = XSD["integer"].value, XSD["decimal"].value
        data = line("g", f'"42"^^<{integer}>') + line("g", f'"0.1"^^<{decimal}>') + line("g", '"42"')
        result = scan(data.encode())
        assert result.quads[:, DATATYPE].tolist() == [INTEGER, DECIMAL, 0]
        assert result.quads[:, NUMBER_STATE].tolist() == [EXACT, ROUNDED, 0]
        assert result.numbers[:2].tolist() == [42.0, 0.1]

    def test_rows_of_the_strict_parser_have_them_too(self) -> None:
        result = scan(line("g", f'"\\u0034\\u0032"^^<{XSD["integer"].value}>').encode())
        assert (result.quads[0, NUMBER_STATE], result.numbers[0]) == (EXACT, 42.0)


_INTERPRETED = """
import random
from tests.matching.scanning.nquads_mutations import document, mutated
from tests.matching.scanning.test_scanner import assert_agrees_with_the_parser
from triplewire.matching.kernels.machine import JIT
assert not JIT
random_ = random.Random(5)
for _ in range(12):
    assert_agrees_with_the_parser(mutated(document(random_, 30), random_, 8))
"""


def test_interpreted_kernels_do_the_same() -> None:
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-c", _INTERPRETED]
    done = subprocess.run(command, check=False, env=environment, timeout=300, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
