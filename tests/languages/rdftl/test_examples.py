"""The rules that the paper prints, read as it prints them."""

from __future__ import annotations

import re
from pathlib import Path as File

import pytest

from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import (
    Abort,
    Always,
    Arc,
    ArcAction,
    ArcEvent,
    BareName,
    Change,
    Compared,
    Comparison,
    Coupling,
    Delta,
    Element,
    Let,
    NextElement,
    Path,
    Resource,
    ResourceAction,
    ResourceEvent,
    Target,
    Variable,
)
from triplewire.rdf.terms import Literal, NamedNode, Namespace

DC = Namespace("http://purl.org/dc/elements/1.1/")
# The paper's namespaces end where its names begin: no separator stands between.
USER = Namespace("http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/user")
LO = Namespace("http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/lo")
USERS = Namespace("http://www.dcs.bbk.ac.uk/users/")
DOCUMENTED = (File(__file__).parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
FIXTURES = File(__file__).parents[2] / "fixtures" / "rdftl"


def resource(iri: NamedNode | None, *arcs: NamedNode) -> Path:
    return Path(Resource(iri), tuple(map(Target, arcs)))


def test_examples_2_and_3_from_one_file() -> None:
    example_2, example_3 = parse_rules((FIXTURES / "examples.rdftl").read_text())
    assert (example_2.id, example_3.id) == ("ex2", "r2")
    assert example_2.event == ArcEvent(Change.INSERT, Arc(resource(None), DC["type"], None))
    assert example_2.condition == Always()
    assert example_2.actions == (
        ArcAction(Change.INSERT, (Arc(Path(Variable("updated_lo")), NextElement(), Path(Delta())),)),
    )
    assert example_2.lets == (Let("updated_lo", resource(USERS["sys"], LO["messages"], LO["updated_LOs"])),)
    assert example_2.coupling is Coupling.IMMEDIATE
    assert example_2.abort is Abort.MUTUAL
    assert example_2.namespaces == (("dc", str(DC)), ("ext3", str(LO)))

    assert example_3.event == ResourceEvent(Change.INSERT, resource(None), BareName("LO"))
    typenames = (Target(USER["interests"]), Element(), Target(USER["interest_typename"]))
    assert example_3.condition == Compared(
        Path(Delta(), (Target(DC["subject"]),)), Comparison.EQUAL, Path(Resource(USERS["128"]), typenames)
    )
    # The variable of example 2 holds here too, and is not used.
    assert [let.name for let in example_3.lets] == ["new_los"]


def test_the_actions_of_examples_1_and_2() -> None:
    text = """
        USING NAMESPACE dc http://purl.org/dc/elements/1.1/
        INSERT resource(http://www.dcs.bbk.ac.uk/LOs/BK187)
        AS INSTANCE OF LO;;
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK187),dc:type,'Book');;
    """
    book = resource(NamedNode("http://www.dcs.bbk.ac.uk/LOs/BK187"))
    first, second = parse_updates(text)
    assert first.action == ResourceAction(Change.INSERT, book, BareName("LO"))
    assert second.action == ArcAction(Change.INSERT, (Arc(book, DC["type"], Literal("Book")),))


def test_the_event_of_example_1() -> None:
    text = """
        USING NAMESPACE ext3 http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/lo
        ON INSERT resource()/target(ext3:Messages)/target(ext3:updated_LOs)
        /element() AS INSTANCE OF LO IF True DO DELETE $delta;;
    """
    (rule,) = parse_rules(text)
    steps = (Target(LO["Messages"]), Target(LO["updated_LOs"]), Element())
    assert rule.event == ResourceEvent(Change.INSERT, Path(Resource(), steps), BareName("LO"))


@pytest.mark.parametrize("text", re.findall(r"```rdftl\n(.*?)```", DOCUMENTED, re.DOTALL))
def test_what_the_documentation_shows(text: str) -> None:
    assert parse_rules(text) if "\nON " in text else parse_updates(text)
