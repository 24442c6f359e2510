from __future__ import annotations

from pathlib import Path

import pytest

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.rdf.documents import read_document
from triplewire.rdf.limits import Limits

QUAD = '<urn:s> <urn:p> "é" .\n'


def test_bytes_and_text_are_rdf() -> None:
    assert read_document(QUAD).data == read_document(QUAD.encode()).data == QUAD.encode()


def test_a_byte_order_mark_is_dropped() -> None:
    assert read_document(b"\xef\xbb\xbf" + QUAD.encode()).data == QUAD.encode()


def test_a_path_is_a_file_and_names_the_source(tmp_path: Path) -> None:
    file = tmp_path / "a.nq"
    file.write_text(QUAD)
    document = read_document(file)
    assert (document.data, document.source, document.path) == (QUAD.encode(), str(file), file)
    assert read_document(file, source="sensor").source == "sensor"


def test_a_string_is_a_path_only_if_it_names_an_rdf_file_that_exists(tmp_path: Path) -> None:
    (tmp_path / "a b.ttl").write_text(QUAD)
    (tmp_path / "secret.txt").write_text("password")
    assert read_document(str(tmp_path / "a b.ttl")).data == QUAD.encode()
    for text in (str(tmp_path / "secret.txt"), str(tmp_path / "missing.ttl"), "/etc/passwd"):
        assert read_document(text).data == text.encode()


def test_a_file_that_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"missing\.nq: cannot read the file: No such file"):
        read_document(tmp_path / "missing.nq")
    with pytest.raises(InputError, match="cannot read the file: Is a directory"):
        read_document(tmp_path)


def test_anything_else_is_an_input_error() -> None:
    with pytest.raises(InputError, match="wanted RDF as bytes, text or a path, found int"):
        read_document(3)  # type: ignore[arg-type]


def test_a7_a_document_too_large_is_refused(tmp_path: Path) -> None:
    limits = Limits(document_bytes=10)
    with pytest.raises(LimitExceeded) as caught:
        read_document(QUAD, limits=limits, source="message")
    assert (caught.value.limit, caught.value.allowed, caught.value.source) == ("document_bytes", 10, "message")
    (tmp_path / "a.nq").write_text(QUAD)
    with pytest.raises(LimitExceeded):
        read_document(tmp_path / "a.nq", limits=limits)


def test_a7_a_file_without_end_is_not_read_to_its_end() -> None:
    with pytest.raises(LimitExceeded):
        read_document(Path("/dev/zero"), limits=Limits(document_bytes=1000))


@pytest.mark.parametrize(
    ("data", "line", "column", "found"),
    [
        (b"<urn:s>\n <urn:p> \xff .", 2, 10, "0xFF"),
        (b'"\xc3\xa9\xc3\xa9 \xc3" .', 1, 5, "0xC3"),
        (b'"\xed\xa0\x80"', 1, 2, "0xED"),
        ('<urn:s> "\ud800" .', 1, 10, "U+D800"),
        ("<urn:s>".encode("utf-16"), 1, 1, "0xFF"),
    ],
)
def test_a1_bad_utf8_and_surrogates_are_refused_with_their_place(
    data: bytes | str, line: int, column: int, found: str
) -> None:
    with pytest.raises(SyntaxProblem) as caught:
        read_document(data, source="message")
    assert (caught.value.line, caught.value.column, caught.value.source) == (line, column, "message")
    assert found in str(caught.value)
    str(caught.value).encode()
