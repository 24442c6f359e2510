"""What is read, beyond the paper's own examples."""

from __future__ import annotations

import pytest

from triplewire.languages.rdftl import format_rule, parse_rule, parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import (
    Abort,
    Always,
    Arc,
    ArcAction,
    BareName,
    Both,
    Change,
    Compared,
    Comparison,
    Component,
    Condition,
    Coupling,
    Delta,
    Either,
    Exists,
    Let,
    Name,
    NamedNode,
    Never,
    Node,
    Not,
    Path,
    Resource,
    ResourceAction,
    Target,
    UpdateAction,
    UpdatedArc,
    UpdateEvent,
    Variable,
)
from triplewire.rdf.terms import RDF, XSD, Literal

ANY = Path(Resource())
X, Y, Z = (Exists(Path(Resource(NamedNode(f"urn:{name}")))) for name in "xyz")


def condition(text: str) -> Condition:
    return parse_rule(f"ON INSERT (_, p, _) IF {text} DO DELETE resource()").condition


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("True", Always()),
        ("FALSE", Never()),
        ("resource(urn:x) and resource(urn:y) or resource(urn:z)", Either((Both((X, Y)), Z))),
        ("resource(urn:x) AND (resource(urn:y) Or resource(urn:z))", Both((X, Either((Y, Z))))),
        ("not resource(urn:x) and resource(urn:y)", Both((Not(X), Y))),
        ("not not (resource(urn:x) and resource(urn:y))", Not(Not(Both((X, Y))))),
        ("resource() ≠ 'x'", Compared(ANY, Comparison.DIFFERENT, Literal("x"))),
        ("resource() != 'x'", Compared(ANY, Comparison.DIFFERENT, Literal("x"))),
        (
            "$delta.target = $delta.source",
            Compared(Path(Delta(Component.TARGET)), Comparison.EQUAL, Path(Delta(Component.SOURCE))),
        ),
    ],
)
def test_conditions(text: str, read: Condition) -> None:
    assert condition(text) == read


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("'Logic'", Literal("Logic")),
        ('"Logic"', Literal("Logic")),
        (r"'it\'s'", Literal("it's")),
        ("'Logik'@de", Literal("Logik", language="de")),
        ("'2004-01-01'^^xsd:date", Literal("2004-01-01", datatype=XSD["date"])),
        ("42", Literal("42", datatype=XSD["integer"])),
        ("true", Literal("true", datatype=XSD["boolean"])),
        ("'resource(); # ;;'", Literal("resource(); # ;;")),
    ],
)
def test_strings_are_plain_and_other_literals_are_as_in_turtle(text: str, literal: Literal) -> None:
    assert condition(f"resource() = {text}") == Compared(ANY, Comparison.EQUAL, literal)


@pytest.mark.parametrize(
    ("written", "iri"),
    [
        ("http://example.org/a#b", "http://example.org/a#b"),
        (" http://example.org/a # a remark\n", "http://example.org/a"),
        ("<http://example.org/a_(b)>", "http://example.org/a_(b)"),
        ("http://example.org/a,b;;c'd", "http://example.org/a,b;;c'd"),
        ("urn:a", "urn:a"),
        ("mailto:a@example.org", "mailto:a@example.org"),
        ("ex:a/b", "http://example.org/a/b"),
        ("<ex:a/b>", "ex:a/b"),
        ("rdf:Bag", f"{RDF}Bag"),
    ],
)
def test_uris_stand_bare_or_in_brackets(written: str, iri: str) -> None:
    rule = parse_rule(f"USING NAMESPACE ex http://example.org/ ON DELETE resource({written}) IF True DO DELETE $delta")
    assert rule.event.path == Path(Resource(NamedNode(iri)))


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("p", BareName("p")),
        ("_p", BareName("_p")),
        ("seq", BareName("seq")),
        ("target", BareName("target")),
        ("a-b", BareName("a-b")),
        ("ex:p", NamedNode("http://example.org/p")),
        (r"ex:a\/b", NamedNode("http://example.org/a/b")),
        ("rdf:type", RDF["type"]),
        ("<urn:p>", NamedNode("urn:p")),
    ],
)
def test_names(written: str, name: Name) -> None:
    rule = parse_rule(
        f"USING NAMESPACE ex <http://example.org/> ON DELETE (_, {written}, _) IF True DO DELETE resource()"
    )
    assert rule.event.arc.name == name


@pytest.mark.parametrize("between", [";", ",", " ;\n  "])
def test_a_rule_may_have_several_actions(between: str) -> None:
    actions = between.join(("INSERT (_, p, 'x'), (_, q, 'y')", "DELETE resource()", "UPDATE (_, p, _ -> 'z')"))
    assert parse_rule(f"ON DELETE resource() IF True DO {actions};;").actions == (
        ArcAction(Change.INSERT, (Arc(None, BareName("p"), Literal("x")), Arc(None, BareName("q"), Literal("y")))),
        ResourceAction(Change.DELETE, ANY),
        UpdateAction((UpdatedArc(None, BareName("p"), None, Literal("z")),)),
    )


@pytest.mark.parametrize("arrow", ["->", "→"])
@pytest.mark.parametrize(("old", "node"), [("_", None), ("'a'", Literal("a")), ("resource()", ANY)])
def test_updated_arcs(arrow: str, old: str, node: Node | None) -> None:
    rule = parse_rule(
        f"on update (resource(), p, {old}{arrow}_) if true"
        " do delete ($delta.source, $delta.arc_name, $delta.new_target)"
    )
    assert rule.event == UpdateEvent(UpdatedArc(ANY, BareName("p"), node, None))
    assert rule.actions == (
        ArcAction(
            Change.DELETE,
            (Arc(Path(Delta(Component.SOURCE)), Delta(Component.ARC_NAME), Path(Delta(Component.NEW_TARGET))),),
        ),
    )


def test_a_deletion_allows_every_wildcard() -> None:
    (update,) = parse_updates("DELETE (_, _, _);;")
    assert update.action == ArcAction(Change.DELETE, (Arc(None, None, None),))


@pytest.mark.parametrize(
    ("clauses", "coupling", "abort"),
    [
        ("", Coupling.IMMEDIATE, Abort.MUTUAL),
        ("COUPLING deferred", Coupling.DEFERRED, Abort.MUTUAL),
        ("COUPLING DETACHED", Coupling.DETACHED, Abort.INDEPENDENT),
        ("ABORT ParentChild COUPLING DETACHED", Coupling.DETACHED, Abort.PARENT_CHILD),
    ],
)
def test_coupling_and_abort_have_defaults(clauses: str, coupling: Coupling, abort: Abort) -> None:
    rule = parse_rule(f"{clauses} ON DELETE resource() IF True DO DELETE $delta")
    assert (rule.coupling, rule.abort) == (coupling, abort)


def test_names_of_rules() -> None:
    rule = parse_rule("RULE SP1.3 PRECEDES a-1, 'the other', r2 ON DELETE resource() IF True DO DELETE $delta")
    assert rule.id == "SP1.3"
    assert rule.precedes == ("a-1", "the other", "r2")


# Files


def test_the_first_preamble_holds_for_the_whole_file() -> None:
    first, second, third = parse_rules("""
        USING NAMESPACE ex http://example.org/
        USING NAMESPACE spare http://example.org/spare/
        LET $a := resource(ex:a)
        LET $b := $a/target(ex:p)
        LET $c := resource()
        ON DELETE resource() IF True DO DELETE $delta;;

        USING NAMESPACE other http://example.org/other/
        LET $d := $b/target(other:q)
        ON DELETE $d IF True DO DELETE $delta;;

        USING NAMESPACE ex http://example.com/
        LET $a := resource(ex:a)
        ON DELETE $a IF True DO DELETE $delta;;
    """)
    assert [let.name for let in first.lets] == ["a", "b", "c"]
    assert [let.name for let in second.lets] == ["a", "b", "d"], "what it uses, and what that uses"
    assert dict(second.namespaces) == {"other": "http://example.org/other/"}
    assert third.lets == (Let("a", Path(Resource(NamedNode("http://example.com/a")))),), "defined again, for this rule"
    assert parse_rule(format_rule(second), id="r2") == second


def test_a_later_preamble_holds_for_its_own_rule() -> None:
    text = "ON DELETE resource() IF True DO DELETE $delta;;"
    first, second, third = parse_rules(f"{text} USING NAMESPACE ex urn: COUPLING DEFERRED PRECEDES r1 {text} {text}")
    assert (second.coupling, second.precedes, dict(second.namespaces)) == (Coupling.DEFERRED, ("r1",), {"ex": "urn:"})
    assert (third.coupling, third.precedes, third.namespaces) == (first.coupling, (), ())


def test_transactions() -> None:
    text = "DELETE resource();;"
    updates = parse_updates(f"{text} {text} TRANSACTION t2 {text} {text} TRANSACTION 'the last' {text}")
    assert [update.transaction for update in updates] == ["t1", "t2-", "t2", "t2", "the last"]


def test_updates_share_the_first_preamble() -> None:
    first, second = parse_updates("LET $a := resource(urn:a) DELETE $a;; DELETE ($a, p, _);;")
    assert first.lets == second.lets == (Let("a", Path(Resource(NamedNode("urn:a")))),)
    assert second.action == ArcAction(Change.DELETE, (Arc(Path(Variable("a")), BareName("p"), None),))


def test_an_empty_file_has_no_rules() -> None:
    assert parse_rules("") == parse_rules(" # nothing yet\n") == ()
    assert parse_updates("") == ()


def test_remarks_and_lines_mean_nothing() -> None:
    rule = parse_rule("""
        ON INSERT resource ( ) / target ( p ) [ source ( q ) ] IF True # and so on ;;
        DO DELETE $delta # done
        ;; # end""")
    assert rule.event.path.steps[0] == Target(BareName("p"))
