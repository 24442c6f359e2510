"""RDF Patch: text to transactions and back."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.languages.text_pairs import text_pairs

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.rdf.limits import Limits
from triplewire.rdf.patches import Patch, PrefixChange, parse_patches, print_patch, read_patches
from triplewire.rdf.terms import XSD, BlankNode, DefaultGraph, Literal, NamedNode, Quad, Triple

A, P = NamedNode("urn:a"), NamedNode("urn:p")


def value(text: str) -> Quad:
    return Quad(A, P, Literal(text), DefaultGraph())


@pytest.mark.parametrize(("text", "printed"), text_pairs("rdf/patches.txt"))
def test_read_and_printed(text: str, printed: str) -> None:
    patches = [*parse_patches(text)]
    assert "".join(map(print_patch, patches)) == f"{printed}\n"
    assert [*parse_patches(printed)] == patches


@pytest.mark.parametrize(("text", "message"), text_pairs("rdf/patches_refused.txt"))
def test_refused_with_place_and_reason(text: str, message: str) -> None:
    with pytest.raises(SyntaxProblem) as refused:
        [*parse_patches(text)]
    assert message in str(refused.value)


IRIS = st.sampled_from([NamedNode(f"urn:{name}") for name in ("a", "b", "é", "x#y")])
BLANKS = st.sampled_from([BlankNode(name) for name in ("x", "b0", "a-1")])
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
LITERALS = st.one_of(
    TEXTS.map(Literal),
    TEXTS.map(lambda text: Literal(text, language="en-gb")),
    st.integers().map(lambda number: Literal(str(number), datatype=XSD["integer"])),
)
NODES = IRIS | BLANKS
OBJECTS = st.one_of(NODES, LITERALS, st.builds(Triple, NODES, IRIS, NODES | LITERALS))
QUADS = st.builds(Quad, NODES, IRIS, OBJECTS, NODES | st.just(DefaultGraph()))
PREFIXES = st.builds(PrefixChange, TEXTS, st.none() | TEXTS, st.none() | NODES)


@st.composite
def patches(draw: st.DrawFn) -> Patch:
    quads = draw(st.lists(QUADS, unique=True, max_size=6))
    cut = draw(st.integers(0, len(quads)))
    headers = draw(st.lists(st.tuples(TEXTS, NODES | LITERALS), max_size=2))
    prefixes = draw(st.lists(PREFIXES, max_size=2))
    return Patch(tuple(quads[cut:]), tuple(quads[:cut]), tuple(headers), tuple(prefixes))


@given(st.lists(patches(), max_size=3))
def test_printing_and_reading_gives_the_same_patches(several: list[Patch]) -> None:
    text = "".join(map(print_patch, several))
    assert [*parse_patches(text)] == several
    assert [*read_patches(BytesIO(text.encode()))] == several


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("12345")), max_size=12), st.sets(st.sampled_from("12345")))
def test_a_transaction_comes_to_what_its_rows_do_one_by_one(rows: list[tuple[bool, str]], before: set[str]) -> None:
    text = "\n".join(f'{"A" if is_added else "D"} <urn:a> <urn:p> "{name}" .' for is_added, name in rows)
    state = {value(name) for name in before}
    after = set(state)
    for is_added, name in rows:
        (after.add if is_added else after.discard)(value(name))
    for patch in parse_patches(text):
        assert not set(patch.added) & set(patch.removed)
        state = (state - set(patch.removed)) | set(patch.added)
    assert state == after


@given(st.text(st.sampled_from('AD TXC.\n\r"<>_:#\\urnPHa1\u0085\u2028')))
def test_a1_any_text_is_read_or_refused_with_a_place(text: str) -> None:
    assert is_read_or_refused_with_a_place(text)


def is_read_or_refused_with_a_place(text: str) -> bool:
    try:
        return len([*parse_patches(text)]) >= 0
    except InputError as refused:
        return bool(refused.line)


def test_a_header_by_its_name() -> None:
    [patch] = parse_patches('H id "1" .\nH id "2" .\nTX .\nTC .')
    assert patch.header("id") == Literal("2")
    assert patch.header("prev") is None


def test_a_transaction_is_given_as_soon_as_it_is_complete() -> None:
    def lines() -> Iterator[bytes]:
        yield b"TX .\n"
        yield b'A <urn:a> <urn:p> "1" .\r\n'
        yield b"TC ."
        pytest.fail("more was read than the first transaction needs")

    assert next(read_patches(lines())).added == (value("1"),)


def test_what_is_complete_before_an_error_is_given() -> None:
    found = parse_patches('TX .\nA <urn:a> <urn:p> "1" .\nTC .\nTX .\n')
    assert next(found).added == (value("1"),)
    with pytest.raises(SyntaxProblem):
        next(found)


def test_an_error_names_the_file_and_shows_the_place() -> None:
    with pytest.raises(SyntaxProblem) as refused:
        [*parse_patches('TX .\nA <urn:a> <urn:p> "é" x .\nTC .', source="today.rdfp")]
    assert str(refused.value).splitlines()[0].startswith("today.rdfp:2:23: wanted a triple or quad of N-Quads")
    assert str(refused.value).splitlines()[1:] == ['    A <urn:a> <urn:p> "é" x .', "                          ^"]


def test_a1_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(SyntaxProblem, match="wanted UTF-8, found the byte 0xFF"):
        [*parse_patches(b"TX .\nA \xff")]
    with pytest.raises(SyntaxProblem, match="2:3: wanted UTF-8, found the byte 0xFF"):
        [*read_patches([b"TX .\n", b"A \xff"])]


LONG = "x" * 60
ROW = 'A <urn:a> <urn:p> "1" .\n'


@pytest.mark.parametrize(
    ("text", "limits", "limit", "line"),
    [
        (ROW * 3, Limits(document_bytes=50), "document_bytes", None),
        (ROW + f"# {LONG}", Limits(row_bytes=50), "row_bytes", 2),
        (ROW * 3, Limits(patch_rows=2), "patch_rows", 3),
        ("H a 'b' .\n".replace("'", '"') * 3, Limits(patch_rows=2), "patch_rows", 3),
        ('TX .\nPA "a" <urn:a> .\nPD "a" .\nTC .', Limits(patch_rows=2), "patch_rows", 3),
        (ROW + f'A <urn:a> <urn:p> "{LONG}" .', Limits(literal_length=50), "literal_length", 2),
        (ROW + f"A <urn:{LONG}> <urn:p> <urn:a> .", Limits(iri_length=50), "iri_length", 2),
        (ROW + "A <urn:a> <urn:p> " + "<<( <urn:a> <urn:p> " * 5_000, Limits(), "depth", 2),
    ],
)
def test_a7_what_is_too_large_is_refused(text: str, limits: Limits, limit: str, line: int | None) -> None:
    with pytest.raises(LimitExceeded) as refused:
        [*parse_patches(text, limits=limits)]
    assert (refused.value.limit, refused.value.line) == (limit, line)


def test_a7_each_transaction_counts_for_itself() -> None:
    text = f"TX .\n{ROW}TC .\n" * 5
    assert len([*parse_patches(text, limits=Limits(patch_rows=2))]) == 5


@pytest.mark.parametrize(
    "row",
    ['A <_:a> "' + '\\"' * 200_000, "A <_:a> " + '"' * 400_000, "H " + '"\\' * 200_000, "TX" + " " * 400_000 + "x"],
)
def test_a2_a_hostile_row_is_read_in_time_linear_in_its_length(row: str) -> None:
    with pytest.raises(SyntaxProblem) as refused:
        [*parse_patches(row)]
    assert len(str(refused.value)) < 1_000
