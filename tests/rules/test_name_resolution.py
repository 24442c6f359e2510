"""Names of rules and updates against a schema."""

from __future__ import annotations

import pytest
from tests.rules.selene import DC, EXT3, MERGED, SELENE

from triplewire.errors import UnknownName
from triplewire.languages.rdftl.syntax import (
    Arc,
    ArcAction,
    BareName,
    Both,
    Change,
    Compared,
    Comparison,
    Exists,
    Let,
    NextElement,
    Not,
    Path,
    Resource,
    ResourceAction,
    ResourceEvent,
    Rule,
    Source,
    Target,
    Update,
    UpdateAction,
    UpdatedArc,
    Variable,
    Where,
)
from triplewire.rdf.terms import RDF, Literal, NamedNode
from triplewire.rules.name_resolution import resolve_class, resolve_property, resolved, resolved_update
from triplewire.rules.schema import Schema


def test_bare_names_become_the_one_class_or_property() -> None:
    assert resolve_class(BareName("LO"), MERGED) == SELENE["LO"]
    assert resolve_property(BareName("title"), MERGED) == DC["title"]
    assert resolve_class(RDF["Seq"], MERGED) == RDF["Seq"]
    assert resolve_property(RDF["_3"], MERGED) == RDF["_3"]


def test_a_name_that_two_classes_have_lists_the_choices() -> None:
    rdfs_class = "<http://www.w3.org/2000/01/rdf-schema#Class>"
    two = Schema.parse(f"<http://a.org/X> a {rdfs_class} . <http://b.org/X> a {rdfs_class} .")
    with pytest.raises(UnknownName, match=r"found 2: <http://a.org/X>, <http://b.org/X>") as caught:
        resolve_class(BareName("X"), two)
    assert caught.value.choices == ("http://a.org/X", "http://b.org/X")


@pytest.mark.parametrize("name", [BareName("titel"), DC["Title"]])
def test_an_unknown_property_names_the_nearest(name: BareName | NamedNode) -> None:
    with pytest.raises(UnknownName, match=r"nearest are .*<http://purl.org/dc/elements/1.1/title>"):
        resolve_property(name, MERGED)


def test_a_class_is_no_property() -> None:
    with pytest.raises(UnknownName, match="wanted a property"):
        resolve_property(SELENE["LO"], MERGED)


def test_every_name_of_a_rule_is_resolved() -> None:
    inner = Both((Exists(Path(None, (Target(BareName("title")),))), Not(Exists(Path(None, (Source(DC["type"]),))))))
    rule = Rule(
        id="r",
        lets=(Let("list", Path(Resource(), (Target(EXT3["new_LOs"]), Where(inner)))),),
        event=ResourceEvent(Change.INSERT, Path(Resource()), BareName("LO")),
        condition=Compared(Path(Resource(), (Target(BareName("type")),)), Comparison.EQUAL, Literal("Book")),
        actions=(
            ArcAction(Change.INSERT, (Arc(Path(Variable("list")), NextElement(), Path(Resource())),)),
            UpdateAction((UpdatedArc(None, BareName("title"), None, Literal("x")),)),
        ),
    )
    done = resolved(rule, MERGED)
    assert "BareName" not in repr(done)
    assert done.event == ResourceEvent(Change.INSERT, Path(Resource()), SELENE["LO"])
    assert resolved(done, MERGED) == done


def test_every_name_of_an_update_is_resolved() -> None:
    update = Update(action=ResourceAction(Change.INSERT, Path(Resource(NamedNode("urn:x"))), BareName("User")))
    assert resolved_update(update, MERGED).action == ResourceAction(
        Change.INSERT, Path(Resource(NamedNode("urn:x"))), SELENE["User"]
    )
    wrong = Update(action=ResourceAction(Change.INSERT, Path(Resource(NamedNode("urn:x"))), BareName("Uzer")))
    with pytest.raises(UnknownName, match="schema#User"):
        resolved_update(wrong, MERGED)
