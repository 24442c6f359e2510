from __future__ import annotations

import pytest

from triplewire.errors import LimitExceeded, RefusedFeature, SyntaxProblem
from triplewire.rdf.documents import Document
from triplewire.rdf.events import Event
from triplewire.rdf.limits import DEFAULT_LIMITS, MIB, Limits
from triplewire.rdf.parsing.rdf_xml import plain_markup
from triplewire.rdf.terms import Literal, NamedNode

OPEN = '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
BODY = '<rdf:Description rdf:about="urn:s"><rdf:value>o</rdf:value></rdf:Description>'
CLOSE = "</rdf:RDF>"
DOCTYPE = '<!DOCTYPE rdf:RDF [<!ENTITY lol "lol">]>'


def check(text: str, limits: Limits = DEFAULT_LIMITS) -> Document:
    return plain_markup(Document(text.encode(), "message"), limits)


@pytest.mark.parametrize(
    "text",
    [
        "<!DOCTYPE\n\trdf:RDF SYSTEM 'http://127.0.0.1/x.dtd'>" + OPEN + BODY + CLOSE,
        "<!doctype rdf:RDF [<!ENTITY lol 'lol'>]>" + OPEN + BODY + CLOSE,
        OPEN + DOCTYPE + BODY + CLOSE,
        '<!DOCTYPE rdf:RDF PUBLIC "-//X" "x.dtd" [<!ENTITY lol "lol">]>' + OPEN + BODY + CLOSE,
        '<!DOCTYPE rdf:RDF [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + OPEN + BODY + CLOSE,
        "<!DOCTYPE rdf:RDF [<!ENTITY % x \"<!ENTITY y 'z'>\">]>" + OPEN + BODY + CLOSE,
        '<!DOCTYPE rdf:RDF [<!ENTITY x "<rdf:value/>">]>' + OPEN + BODY + CLOSE,
        '<!DOCTYPE rdf:RDF [<!ENTITY x "y"><!ATTLIST rdf:RDF a CDATA "&x;">]>' + OPEN + BODY + CLOSE,
        DOCTYPE + DOCTYPE + OPEN + BODY + CLOSE,
    ],
)
def test_a4_a_doctype_of_more_than_text_is_refused(text: str) -> None:
    with pytest.raises(RefusedFeature) as caught:
        check(text)
    assert (caught.value.feature, caught.value.source) == ("DOCTYPE", "message")


def bomb(definitions: str, use: str) -> str:
    return f"<!DOCTYPE x [{definitions}]>{OPEN}{BODY.replace('>o<', f'>{use}<')}{CLOSE}"


LAUGHS = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n + 1} "{f"&l{n};" * 10}">' for n in range(30))
CHAIN = '<!ENTITY l0 "lol">' + "".join(f'<!ENTITY l{n + 1} "&l{n};">' for n in range(3_000))
LARGE = '<!ENTITY l0 "' + "x" * 100_000 + '">'


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (bomb(LAUGHS, "&l30;"), "document_bytes"),
        (bomb(LAUGHS, "&l3;").replace("urn:s", "&l29;"), "document_bytes"),
        (bomb(LARGE, "&l0;" * 1_000), "document_bytes"),
        (
            bomb(
                LARGE + "".join(f'<!ENTITY m{n} "&l0;">' for n in range(1_000)),
                "".join(f"&m{n};" for n in range(1_000)),
            ),
            "document_bytes",
        ),
        (bomb(CHAIN, "&l3000;"), "depth"),
    ],
    ids=["laughs", "in an attribute", "quadratic", "many names", "chain"],
)
def test_a4_an_entity_bomb_is_refused_at_once(text: str, limit: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        check(text, Limits(document_bytes=16 * MIB))
    assert (caught.value.limit, caught.value.source) == (limit, "message")


def test_a4_what_is_defined_and_never_used_costs_nothing() -> None:
    assert b"lol" not in check(bomb(LAUGHS, "o")).data


@pytest.mark.parametrize(
    ("definitions", "use", "written"),
    [
        ('<!ENTITY owl "http://www.w3.org/2002/07/owl#">', "&owl;Class", "http://www.w3.org/2002/07/owl#Class"),
        ('<!ENTITY a "1"><!ENTITY b "&a;2">', "&b;&a;", "121"),
        ('<!ENTITY a "first"><!ENTITY a "second">', "&a;", "first"),
        ("<!ENTITY a '\"'>", "&a;", '"'),
        ('<!ENTITY a "&#233;">', "&a;&lt;&#233;", "é<é"),
        ('<!ENTITY lt "&#38;#60;">', "&lt;", "<"),
        ('<!-- <!ENTITY a "no"> --><!ENTITY a "]>">', "&a;", "]>"),
        ('<!ENTITY a "yes">', "<![CDATA[&a;]]>", "&a;"),
    ],
)
def test_entities_of_text_are_written_out(definitions: str, use: str, written: str) -> None:
    text = bomb("\n" + definitions + "\n", use)
    [event] = Event.parse(text.encode(), "rdfxml", graph="urn:e")
    assert event.triples[0].object == Literal(written)


def test_entities_are_written_out_in_attributes_too() -> None:
    text = bomb('<!ENTITY ns "http://example.org/#"><!ENTITY q "\'">', "o").replace("urn:s", "&ns;a&q;b")
    [event] = Event.parse(text.encode(), "rdfxml", graph="urn:e")
    assert event.triples[0].subject == NamedNode("http://example.org/#a'b")


def test_lines_keep_their_numbers_behind_a_doctype() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        check(bomb('\n<!ENTITY a "1">\n', "\n<x>&a;"))
    assert caught.value.line == 4


@pytest.mark.parametrize(("definitions", "name"), [("", "a"), ('<!ENTITY a "&b;">', "b"), ('<!ENTITY a "&a;">', "a")])
def test_an_entity_without_a_text_is_a_syntax_error(definitions: str, name: str) -> None:
    with pytest.raises(SyntaxProblem, match=f"found &{name};"):
        check(bomb(definitions, "&a;"))


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-7"])
def test_a4_another_encoding_in_the_declaration_hides_nothing(encoding: str) -> None:
    with pytest.raises(LimitExceeded):
        check(f'<?xml version="1.0" encoding="{encoding}"?>' + bomb(LAUGHS, "&l30;"))


@pytest.mark.parametrize(
    "text",
    [
        OPEN + f"<!-- {DOCTYPE} -->" + BODY + CLOSE,
        OPEN + BODY.replace(">o<", f"><![CDATA[{DOCTYPE}]]><") + CLOSE,
        OPEN + BODY.replace(">o<", ">&lt;!DOCTYPE&gt;<") + CLOSE,
    ],
)
def test_a_doctype_in_a_comment_or_in_text_is_none(text: str) -> None:
    assert check(text).data == text.encode()


def test_a3_deep_elements_are_refused() -> None:
    nested = "<rdf:Description><rdf:value>" * 3 + "</rdf:value></rdf:Description>" * 3
    assert check(OPEN + nested + CLOSE, Limits(depth=7)).data.endswith(CLOSE.encode())
    with pytest.raises(LimitExceeded) as caught:
        check(OPEN + nested + CLOSE, Limits(depth=6))
    assert caught.value.limit == "depth"


def test_a1_malformed_xml_is_refused_with_its_place() -> None:
    with pytest.raises(SyntaxProblem) as caught:
        check(OPEN + "\n  <rdf:value>é</rdf:wrong>" + CLOSE)
    assert (caught.value.line, caught.value.column) == (2, 17)
    assert "mismatched tag" in str(caught.value)
