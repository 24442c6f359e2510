from __future__ import annotations

import json
from pathlib import Path

import pytest

from triplewire.errors import InputError, LimitExceeded, RefusedFeature
from triplewire.rdf.documents import Document
from triplewire.rdf.events import Event
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.parsing.contexts import NO_CONTEXTS, Contexts, with_contexts

REMOTE = "http://127.0.0.1:9/context.jsonld"


@pytest.mark.parametrize(
    "text",
    [
        f'{{"@context": "{REMOTE}"}}',
        f'{{"@context": [{{}}, "{REMOTE}"]}}',
        f'{{"@context": {{"@import": "{REMOTE}"}}}}',
        f'{{"@context": {{"p": {{"@id": "urn:p", "@context": "{REMOTE}"}}}}}}',
        f'[{{"urn:p": {{"@context": "{REMOTE}"}}}}]',
        f'{{"@cont\\u0065xt": "{REMOTE}"}}',
        f'{{"@context": "{REMOTE}", "@context": {{}}}}',
        '{"@context": "context.jsonld"}',
    ],
)
def test_a10_remote_contexts_are_refused_by_name(text: str) -> None:
    with pytest.raises(RefusedFeature) as caught:
        with_contexts(Document(text.encode(), "message"), NO_CONTEXTS, None, DEFAULT_LIMITS)
    assert (caught.value.feature, caught.value.source) == ("@context", "message")
    assert "context.jsonld" in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        '{"@context": {"p": "urn:p"}, "p": 1}',
        '{"@context": null}',
        '{"@context": [{"p": "urn:p"}, {"@vocab": "urn:v:"}]}',
        f'{{"urn:p": "{REMOTE} @context"}}',
        f'{{"@context": {{}}, "urn:number": {"1" * 5000}}}',
        '{"@context": {',
    ],
)
def test_contexts_within_the_document_pass(text: str) -> None:
    document = Document(text.encode())
    assert with_contexts(document, NO_CONTEXTS, None, DEFAULT_LIMITS) is document


HERE = "https://example.org/contexts/people.jsonld"
PEOPLE = {"@context": {"@base": "http://elsewhere.org/", "name": "http://xmlns.com/foaf/0.1/name"}}


def parsed(document: object, contexts: dict[str, object], base: str | None = None, **limits: int) -> str:
    held = Contexts({address: json.dumps(context) for address, context in contexts.items()})
    data = document if isinstance(document, str) else json.dumps(document)
    [event] = Event.parse(data.encode(), "jsonld", graph="urn:e", base=base, contexts=held, limits=Limits(**limits))
    return event.nquads.decode()


NAMED = '<urn:a> <http://xmlns.com/foaf/0.1/name> "Ann" <urn:e> .\n'


@pytest.mark.parametrize(
    "context",
    [
        HERE,
        [HERE],
        [{"other": "urn:o"}, HERE],
        {"@import": HERE},
        {"@import": HERE, "other": "urn:o"},
        "https://example.org/both.jsonld",
        "https://example.org/relative.jsonld",
    ],
    ids=str,
)
def test_a_context_of_the_map_is_used_wherever_it_is_named(context: object) -> None:
    contexts: dict[str, object] = {
        HERE: PEOPLE,
        "https://example.org/both.jsonld": {"@context": [HERE, {"other": "urn:o"}]},
        "https://example.org/relative.jsonld": {"@context": "contexts/people.jsonld"},
    }
    assert parsed({"@context": context, "@id": "urn:a", "name": "Ann"}, contexts) == NAMED


def test_a_relative_address_of_a_context_counts_from_the_base() -> None:
    document = {"@context": "people.jsonld", "@id": "urn:a", "name": "Ann"}
    assert parsed(document, {HERE: PEOPLE}, base="https://example.org/contexts/document") == NAMED


def test_no_base_is_taken_from_a_context_elsewhere() -> None:
    document = {"@context": HERE, "@id": "a", "name": "Ann"}
    assert "<http://example.org/a>" in parsed(document, {HERE: PEOPLE}, base="http://example.org/")


def test_numbers_stay_as_they_were_written() -> None:
    text = f'{{"@context": "{HERE}", "@id": "urn:a", "urn:p": [12345678901234567890123, 1.50, 1e2]}}'
    plain = text.replace(f'"{HERE}"', "{}")
    assert parsed(text, {HERE: PEOPLE}) == parsed(plain, {})


def test_a10_what_the_map_lacks_is_still_refused() -> None:
    with pytest.raises(RefusedFeature, match=r"'https://example.org/other'.*--contexts"):
        parsed({"@context": [HERE, "https://example.org/other"], "urn:p": 1}, {HERE: PEOPLE})
    with pytest.raises(RefusedFeature, match=r"'https://example.org/other'"):
        parsed({"@context": HERE, "urn:p": 1}, {HERE: {"@context": ["https://example.org/other"]}})


def test_a_context_that_holds_itself_is_refused() -> None:
    with pytest.raises(RefusedFeature, match="hold themselves"):
        parsed({"@context": HERE, "urn:p": 1}, {HERE: {"@context": [{}, HERE]}})


def test_a7_a_context_named_many_times_does_not_grow_without_bound() -> None:
    document = {"@context": [HERE] * 500, "@id": "urn:a", "name": "Ann"}
    with pytest.raises(LimitExceeded) as caught:
        parsed(document, {HERE: PEOPLE}, document_bytes=40_000)
    assert caught.value.limit == "document_bytes"


def test_an_error_stands_where_the_document_has_it() -> None:
    with pytest.raises(InputError) as caught:
        parsed(f'{{"@context": "{HERE}",\n "@type": 3}}', {HERE: PEOPLE})
    assert caught.value.line == 2


def test_a_map_names_files_beside_it(tmp_path: Path) -> None:
    (tmp_path / "held").mkdir()
    (tmp_path / "held" / "people.jsonld").write_text(json.dumps(PEOPLE))
    (tmp_path / "map.json").write_text(json.dumps({HERE: "held/people.jsonld"}))
    contexts = Contexts.load(tmp_path / "map.json")
    [event] = Event.parse(
        json.dumps({"@context": HERE, "@id": "urn:a", "name": "Ann"}).encode(),
        "jsonld",
        graph="urn:e",
        contexts=contexts,
    )
    assert event.nquads.decode() == NAMED


@pytest.mark.parametrize(
    ("map_text", "message"),
    [
        ("[]", "wanted a JSON object"),
        ("{", "wanted a JSON object"),
        ('{"urn:c": 3}', "addresses and files"),
        ('{"urn:c": "missing.jsonld"}', "missing.jsonld: cannot read"),
        ('{"urn:c": "map.json"}', "wanted a JSON-LD context"),
    ],
)
def test_a_map_that_is_wrong_is_told_at_once(map_text: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "map.json").write_text(map_text)
    with pytest.raises(InputError, match=message):
        Contexts.load(tmp_path / "map.json")
