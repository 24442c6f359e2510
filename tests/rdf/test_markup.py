from __future__ import annotations

import pytest

from triplewire.errors import LimitExceeded, RefusedFeature, SyntaxProblem
from triplewire.rdf.documents import Document
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits
from triplewire.rdf.markup import check_markup

OPEN = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
BODY = '<rdf:Description rdf:about="urn:s"><rdf:value>o</rdf:value></rdf:Description>'
CLOSE = "</rdf:RDF>"
DOCTYPE = '<!DOCTYPE rdf:RDF [<!ENTITY lol "lol">]>'


def check(text: str, limits: Limits = DEFAULT_LIMITS) -> None:
    check_markup(Document(text.encode(), "message"), limits)


@pytest.mark.parametrize(
    "text",
    [
        DOCTYPE + OPEN + BODY + CLOSE,
        "<!DOCTYPE rdf:RDF>" + OPEN + BODY + CLOSE,
        '<?xml version="1.0"?>\n<!-- hello -->\n<?pi?>' + DOCTYPE + OPEN + BODY + CLOSE,
        "<!DOCTYPE\n\trdf:RDF SYSTEM 'http://127.0.0.1/x.dtd'>" + OPEN + BODY + CLOSE,
        "<!doctype rdf:RDF [<!ENTITY lol 'lol'>]>" + OPEN + BODY + CLOSE,
        OPEN + DOCTYPE + BODY + CLOSE,
        '<?xml version="1.0" encoding="UTF-16"?>' + DOCTYPE + OPEN + BODY + CLOSE,
        '<?xml version="1.0" encoding="UTF-7"?>' + DOCTYPE + OPEN + BODY + CLOSE,
    ],
)
def test_a4_any_doctype_is_refused(text: str) -> None:
    with pytest.raises(RefusedFeature) as caught:
        check(text)
    assert (caught.value.feature, caught.value.source) == ("DOCTYPE", "message")


def test_a4_an_entity_bomb_is_refused_at_once() -> None:
    entities = "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(30))
    with pytest.raises(RefusedFeature):
        check(f'<!DOCTYPE x [<!ENTITY l0 "lol">{entities}]>{OPEN}{BODY.replace(">o<", ">&l30;<")}{CLOSE}')


@pytest.mark.parametrize(
    "text",
    [
        OPEN + f"<!-- {DOCTYPE} -->" + BODY + CLOSE,
        OPEN + BODY.replace(">o<", f"><![CDATA[{DOCTYPE}]]><") + CLOSE,
        OPEN + BODY.replace(">o<", ">&lt;!DOCTYPE&gt;<") + CLOSE,
    ],
)
def test_a_doctype_in_a_comment_or_in_text_is_none(text: str) -> None:
    check(text)


def test_a3_deep_elements_are_refused() -> None:
    nested = "<rdf:Description><rdf:value>" * 3 + "</rdf:value></rdf:Description>" * 3
    check(OPEN + nested + CLOSE, Limits(depth=7))
    with pytest.raises(LimitExceeded) as caught:
        check(OPEN + nested + CLOSE, Limits(depth=6))
    assert caught.value.limit == "depth"


def test_a1_malformed_xml_is_refused_with_its_place() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        check(OPEN + "\n  <rdf:value>é</rdf:wrong>" + CLOSE)
    assert (caught.value.line, caught.value.column) == (2, 17)
    assert "mismatched tag" in str(caught.value)
