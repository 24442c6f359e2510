"""Rules and schedules to draw: short texts over the town, most of which do something."""

from __future__ import annotations

from hypothesis import strategies as st
from tests.rules.execution.town import PREAMBLE

from triplewire.languages.rdftl import parse_rules, parse_updates
from triplewire.languages.rdftl.syntax import Rule, Update

PEOPLE = [f"resource(ex:{name})" for name in ("ann", "bob", "cat", "dan")]
THINGS = ["resource(ex:mug)", "resource(ex:cup)"]
LETS = "LET $liked := resource()/target(ex:likes)\nLET $ann := resource(ex:ann)\n"

people = st.sampled_from(PEOPLE)
sources = st.one_of(people, st.sampled_from(["resource()", "resource()[target(ex:name) = 'x']", "$liked", "$ann"]))
open_sources = st.one_of(*[st.just("_")] * 4, st.just("resource()"), sources)
links = st.sampled_from(["ex:knows", "ex:likes", "ex:loves", "ex:owes"])
names = st.one_of(links, st.just("_"), st.just("_"))
classes = st.sampled_from(["Person", "Worker", "Nurse", "Thing", "Being"])
deltas = st.sampled_from(["$delta", *PEOPLE[:2]])

triggers = st.sampled_from(["INSERT", "INSERT", "DELETE"])
arc_events = st.builds("{} ({}, {}, {})".format, triggers, open_sources, names, open_sources)
value_events = st.sampled_from(["INSERT (_, ex:name, 'x')", "DELETE (_, ex:name, _)", "INSERT (_, rdf:type, _)"])
update_events = st.builds("UPDATE ({}, {}, {} -> {})".format, open_sources, names, open_sources, open_sources)
class_events = st.builds(
    "{} {}{}".format,
    st.sampled_from(["INSERT", "DELETE"]),
    sources,
    st.one_of(st.just(""), classes.map(" AS INSTANCE OF {}".format)),
)
events = st.one_of(arc_events, arc_events, value_events, update_events, class_events)

conditions = st.sampled_from(
    [
        *["True"] * 4,
        "$delta/target(ex:knows)",
        "not $delta/target(ex:owns)",
        "$delta/target(ex:name) != 'x' or resource(ex:ann)/target(ex:owns)",
        "resource(ex:bob)/target(ex:likes) = $delta",
    ]
)


def arcs_of(nodes: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Insertions, deletions and updates between some nodes."""
    return st.one_of(
        st.builds("INSERT ({}, {}, {})".format, nodes, links, nodes),
        st.builds("DELETE ({}, {}, {})".format, st.one_of(st.just("_"), nodes), names, st.one_of(st.just("_"), nodes)),
        st.builds("UPDATE ({}, {}, _ -> {})".format, st.one_of(st.just("_"), nodes), links, nodes),
        st.builds("INSERT ({}, ex:owns, {})".format, nodes, st.sampled_from([*THINGS, *THINGS, PEOPLE[0]])),
        st.builds("INSERT ({}, ex:name, {})".format, nodes, st.sampled_from(["'x'", "'y'"])),
        st.builds("INSERT (resource(ex:log), seq++, {})".format, nodes),
        st.builds("INSERT {} AS INSTANCE OF {}".format, nodes, classes),
        st.builds("DELETE {}{}".format, nodes, st.one_of(st.just(""), classes.map(" AS INSTANCE OF {}".format))),
    )


couplings = st.sampled_from(["", "", "COUPLING DEFERRED ", "COUPLING DETACHED "])
aborts = st.sampled_from(["", "ABORT MUTUAL ", "ABORT INDEPENDENT ", "ABORT PARENTCHILD ", "ABORT CHILDPARENT "])
precedences = st.sampled_from(["", "", "PRECEDES r3 ", "PRECEDES r4, r5 "])
deeds = st.lists(arcs_of(st.one_of(deltas, sources)), min_size=1, max_size=2).map("; ".join)
rule_texts = st.builds(
    "{}{}{} ON {} IF {} DO {};;\n".format,
    couplings,
    aborts,
    precedences,
    events,
    conditions,
    st.one_of(*[deeds] * 5, st.just("ABORT 'no'"), deeds.map("{}; ABORT 'no'".format)),
)


def _numbered(texts: list[str]) -> tuple[Rule, ...]:
    # Only the first two rules precede others, so that there is no cycle.
    later = [text.replace("PRECEDES r3 ", "").replace("PRECEDES r4, r5 ", "") for text in texts[2:]]
    numbered = enumerate([*texts[:2], *later], 1)
    text = "".join(f"RULE r{number} {text}" for number, text in numbered)
    return parse_rules(PREAMBLE + LETS + text)


rules = st.lists(rule_texts, min_size=3, max_size=8).map(_numbered)


def _scheduled(updates: list[tuple[str, str]]) -> tuple[Update, ...]:
    text = "".join(f"{name}{action};;\n" for name, action in updates)
    return parse_updates(PREAMBLE + LETS + text)


transactions = st.sampled_from(["TRANSACTION t\n", "TRANSACTION u\n", "TRANSACTION v\n"])
schedules = st.lists(st.tuples(transactions, arcs_of(sources)), min_size=3, max_size=8).map(_scheduled)


# What is hardly ever refused, so that long transactions come to their end; what they do they undo again now and then.
_safe = st.one_of(
    st.builds("{} ({}, {}, {})".format, st.sampled_from(["INSERT", "INSERT", "DELETE"]), people, links, people),
    st.builds("UPDATE ({}, {}, _ -> {})".format, st.sampled_from(["_", *PEOPLE]), links, people),
    st.builds("{} ({}, ex:name, 'x')".format, st.sampled_from(["INSERT", "DELETE"]), people),
    st.builds("INSERT resource(ex:eve) AS INSTANCE OF {}".format, st.sampled_from(["Person", "Nurse", "Thing"])),
    st.builds("DELETE {}{}".format, st.just("resource(ex:eve)"), st.sampled_from(["", " AS INSTANCE OF Nurse"])),
    st.just("DELETE resource(ex:bob)"),
)
busy_schedules = st.lists(st.tuples(transactions, _safe), min_size=3, max_size=8).map(_scheduled)
