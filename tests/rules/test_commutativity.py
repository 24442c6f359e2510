"""Who may stay when what they have read is undone: what the analysis says of rules and of updates (section 2.3)."""

from __future__ import annotations

import pytest
from tests.rules.analysis.library import analysed, updates
from tests.rules.execution.town import PREAMBLE, arcs, rulebook, town
from tests.rules.family import FAMILY

from triplewire.languages.rdftl import parse_updates
from triplewire.rules.analysis import Analysis
from triplewire.rules.commutativity import by_analysis, by_rules
from triplewire.rules.execution import Runner, Status, Work

BOOK = "resource(http://example.org/b)"
NOTES = "ON INSERT (_, title, _) IF True DO INSERT ($delta, note, 'n')"
LISTS = "ON INSERT (_, note, _) IF True DO INSERT ($queue, seq++, $delta)"


@pytest.mark.parametrize(
    ("compensated", "reader", "commutes"),
    [
        ("INSERT ({b}, by, {b}/target(by))", "INSERT ({b}, title, 'x')", True),
        ("INSERT ({b}, title, 'x')", "INSERT ({b}, title, 'y')", False),
        # What an update triggers belongs to it: a title becomes a note.
        ("INSERT ({b}, title, 'x')", "DELETE ({b}, note, _)", False),
        ("INSERT ({b}, editedBy, {b}/target(likes))", "INSERT ({b}/target(by), knows, {b}/target(by))", False),
        ("INSERT {b} AS INSTANCE OF Book", "INSERT ({b}, title, 'x')", False),
    ],
)
def test_updates_commute_with_all_that_they_trigger(compensated, reader, commutes):
    judge = by_analysis(analysed(NOTES))
    one, other = (Work(None, updates(text.replace("{b}", BOOK))) for text in (compensated, reader))
    assert judge(one, other) is commutes
    assert judge(other, one) is commutes


def test_a_rule_that_was_triggered_by_what_is_undone_has_read_it():
    analysis = analysed(NOTES, LISTS)
    judge = by_analysis(analysis)
    note = Work(None, updates(f"INSERT ({BOOK}, note, 'x')"))
    assert not judge(note, Work(analysis["r2"].rule, ()))
    liked = Work(None, updates("INSERT (resource(http://example.org/ann), likes, resource(http://example.org/b))"))
    assert judge(liked, Work(analysis["r1"].rule, ()))


@pytest.mark.parametrize(
    "judge", [by_rules, lambda _rules: by_analysis(Analysis((), FAMILY))], ids=["rules", "analysis"]
)
def test_a_transaction_that_read_what_is_undone_is_undone_by_the_analysis_too(judge):
    repository = town()
    schedule = parse_updates(
        PREAMBLE
        + "TRANSACTION t\nINSERT (resource(ex:ann), ex:name, 'x');;\n"
        + "TRANSACTION u\nINSERT (resource()[target(ex:name) = 'x'], ex:owns, resource(ex:cup));;\n"
        + "TRANSACTION t\nINSERT (resource(ex:nobody), ex:name, 'x');;\n"
    )
    book = rulebook("")
    outcome = Runner(repository, book, commutes=judge(book)).run(schedule)
    assert {entry.transaction: entry.status for entry in outcome.entries} == dict.fromkeys("tu", Status.ABORTED)
    assert arcs(repository) == set()
