from __future__ import annotations

from pathlib import Path

import pytest
from pyoxigraph import RdfFormat

from triplewire.errors import UnknownFormat
from triplewire.rdf.formats import (
    FORMATS,
    format_named,
    format_of_media_type,
    format_of_path,
    format_of_suffix,
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("nquads", "nquads"),
        ("n-quads", "nquads"),
        ("nq", "nquads"),
        ("nt", "ntriples"),
        ("TTL", "turtle"),
        ("Turtle", "turtle"),
        ("json-ld", "jsonld"),
        ("xml", "rdfxml"),
        ("trig", "trig"),
    ],
)
def test_formats_go_by_name_and_alias(name: str, found: str) -> None:
    assert format_named(name).name == found


def test_an_unknown_name_lists_the_choices_and_the_nearest() -> None:
    with pytest.raises(UnknownFormat) as caught:
        format_named("turtel")
    message = str(caught.value)
    assert "'turtel'" in message
    assert "did you mean 'turtle'?" in message
    assert all(form.name in message for form in FORMATS)


def test_an_unknown_name_that_is_near_to_nothing_gets_no_hint() -> None:
    with pytest.raises(UnknownFormat) as caught:
        format_named("xyzzy")
    assert "did you mean" not in str(caught.value)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("a.nq", "nquads"),
        ("a.nt", "ntriples"),
        ("a.b.TTL", "turtle"),
        ("a.trig", "trig"),
        ("a.jsonld", "jsonld"),
        ("a.rdf", "rdfxml"),
        ("a.owl", "rdfxml"),
    ],
)
def test_formats_go_by_suffix(file: str, name: str) -> None:
    assert format_of_path(Path("folder") / file).name == name


def test_an_unknown_suffix_lists_the_choices_and_names_the_file() -> None:
    assert format_of_suffix("a.csv") is None
    with pytest.raises(
        UnknownFormat, match=r"folder/a\.csv: wanted a known file suffix, one of \.nq.*, found 'a\.csv'"
    ):
        format_of_path("folder/a.csv")


def test_formats_go_by_media_type_without_its_parameters() -> None:
    assert format_of_media_type("Application/LD+JSON; profile=x").name == "jsonld"
    with pytest.raises(
        UnknownFormat, match=r"wanted a known media type, .*found 'text/turtl'; did you mean 'text/turtle'"
    ):
        format_of_media_type("text/turtl")


def test_names_suffixes_and_media_types_agree_with_oxigraph() -> None:
    for form in FORMATS:
        assert format_of_media_type(form.syntax.media_type) is form
        assert all(RdfFormat.from_media_type(m) in (form.syntax, None) for m in form.media_types if "json" not in m)
        assert f".{form.syntax.file_extension}" in form.suffixes
