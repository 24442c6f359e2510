"""A transaction across super-peers as a tree, where some have not answered, and names are long."""

from __future__ import annotations

from triplewire.cli.federation.names import ShortNames
from triplewire.cli.federation.tree import as_dot, lines, texts
from triplewire.wire.network_rules import AbortArc, NetworkTrace, NetworkUnit

A, B = "sp-aaaaabbbbbcccccdddddeeeeefffffgg", "sp-aaaaazzzzzcccccdddddeeeeefffffgg"


def unit(number: int, at: str, parent: str | None = None, **facts) -> NetworkUnit:
    rule = None if parent is None else f"{A}.1"
    facts = {"status": "committed", "abort": None if parent is None else "MUTUAL"} | facts
    return NetworkUnit(id=f"{at}/{number}", super_peer=at, peer=at, parent=parent, rule=rule, **facts)


TRACE = NetworkTrace(
    transaction=f"{A}/1",
    units=(
        unit(3, B, f"{B}/2"),
        unit(1, A, status="active"),
        unit(4, B, f"{A}/1", is_sealed=True),
        unit(5, B, f"{B}/4", status="aborted", reason=f"{A} left"),
    ),
    arcs=(AbortArc(f"{B}/5", f"{B}/4"), AbortArc(f"{B}/2", f"{A}/1")),
    not_scheduled=(f"the peers of {B} have no <urn:p>",),
)


def test_units_stand_below_their_parents_and_those_of_a_silent_parent_apart() -> None:
    assert list(lines(TRACE)) == [
        f"rule {A}.1, MUTUAL, as {B}/3 at {B}: committed",
        f"transaction {A}/1 at {A}: active",
        f"  rule {A}.1, MUTUAL, as {B}/4 at {B}: committed, for good before the network heard of it",
        f"    rule {A}.1, MUTUAL, as {B}/5 at {B}: undone: {A} left",
        "abort graph: if the first aborts, so does the second",
        f"  {B}/5 (undone) -> {B}/4 (committed)",
        f"  {B}/2 -> {A}/1 (active)",
        "not scheduled",
        f"  the peers of {B} have no <urn:p>",
    ]


def test_names_are_cut_to_what_tells_them_apart() -> None:
    short = ShortNames(texts(TRACE))
    assert list(lines(TRACE, short))[1:3] == [
        "transaction sp-aaaaab/1 at sp-aaaaab: active",
        "  rule sp-aaaaab.1, MUTUAL, as sp-aaaaaz/4 at sp-aaaaaz: committed, for good before the network heard of it",
    ]
    assert sorted(short.legend) == [f"sp-aaaaab is {A}", f"sp-aaaaaz is {B}"]
    assert A not in as_dot(TRACE, short)


def test_arrows_are_those_of_the_abort_graph() -> None:
    edges = [line.strip() for line in as_dot(TRACE).splitlines() if "->" in line]
    assert edges == [
        '2 -> 3 [label="MUTUAL" dir=both arrowhead=none arrowtail=none];',
        '3 -> 4 [label="MUTUAL" dir=both arrowhead=none arrowtail=normal];',
    ], "the arc to what is sealed is not there"
