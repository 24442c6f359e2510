from __future__ import annotations

import pytest

from triplewire.errors import RefusedFeature
from triplewire.rdf.contexts import check_contexts
from triplewire.rdf.documents import Document

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
        check_contexts(Document(text.encode(), "message"))
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
    check_contexts(Document(text.encode()))
