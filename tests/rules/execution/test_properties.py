"""What holds of every schedule under every set of rules."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from tests.rules.execution.cases import busy_schedules, rules, schedules
from tests.rules.execution.reference import Reference
from tests.rules.execution.town import PREAMBLE, a, arc, town
from tests.rules.family import FAMILY
from tests.rules.naive import closure, conforms

from triplewire.errors import SchemaViolation
from triplewire.languages.rdftl import parse_updates
from triplewire.languages.rdftl.syntax import Abort, Coupling, Rule, Update
from triplewire.rdf.terms import Literal
from triplewire.rules.changes import Changes
from triplewire.rules.execution import Limits, Rulebook, Runner, ScheduleOutcome, Status
from triplewire.rules.execution.context import StepContext
from triplewire.rules.execution.rulebook import ResolvedRule
from triplewire.rules.execution.runner import Execution
from triplewire.rules.execution.state import Advance, Applied, Apply, Compensate, Finished, Refused, State, Submit
from triplewire.rules.execution.steps import step
from triplewire.rules.execution.triggering.event_detection import Detection, EventOccurrences
from triplewire.rules.graphs import PreviousGraph
from triplewire.rules.name_resolution import resolved_update
from triplewire.rules.repository import Repository

LIMITS = Limits(depth=5, updates=60)


def populated() -> Repository:
    return town(
        a("dan", "Nurse"), arc("ann", "likes", "bob"), arc("bob", "owns", "mug"), arc("cat", "name", Literal("x"))
    )


class EveryRule(Rulebook):
    """Asks every rule about every change, as one would without an index."""

    def candidates(self, occurrences: EventOccurrences) -> list[ResolvedRule]:
        return list(self)


class Checked(Rulebook):
    """Looks whether the candidates are enough: no rule is triggered that is not among them."""

    def __init__(self, repository: Repository, rules: Sequence[Rule]) -> None:
        super().__init__(FAMILY, rules)
        self.repository = repository

    def candidates(self, occurrences: EventOccurrences) -> list[ResolvedRule]:
        found = super().candidates(occurrences)
        detection = Detection(occurrences, self.repository, PreviousGraph(self.repository, occurrences.changes))
        for registered in self:
            if registered not in found:
                assert not detection.deltas(registered.rule.event, registered.rule.lets), registered.rule
        return found


def run(repository: Repository, book: Rulebook, schedule: Sequence[Update]) -> ScheduleOutcome:
    return Runner(repository, book, limits=LIMITS).run(schedule)


def shown(outcome: ScheduleOutcome) -> list[object]:
    return [(e.rule, e.cause, e.delta, e.status, str(e.error), e.actions) for e in outcome.entries]


@settings(max_examples=150)
@given(rules, schedules)
def test_the_run_equals_a_naive_run_that_asks_every_rule(book: tuple[Rule, ...], schedule: tuple[Update, ...]) -> None:
    fast, naive = populated(), populated()
    outcomes = (run(fast, Checked(fast, book), schedule), run(naive, EveryRule(FAMILY, book), schedule))
    assert shown(outcomes[0]) == shown(outcomes[1])
    assert set(fast.asserted) == set(naive.asserted)


@settings(max_examples=200, suppress_health_check=[HealthCheck.filter_too_much])
@given(rules, st.one_of(schedules, busy_schedules))
def test_without_aborts_the_run_equals_one_that_keeps_every_state(
    book: tuple[Rule, ...], schedule: tuple[Update, ...]
) -> None:
    repository, plain = populated(), populated()
    outcome = run(repository, Rulebook(FAMILY, book), schedule)
    assume(not outcome.aborted)
    reference = Reference(plain, book)
    reference.run(schedule)
    assert [(e.rule, e.delta) for e in outcome.firings] == [(rule.id, delta) for rule, delta in reference.fired]
    assert set(repository.asserted) == set(plain.asserted)


@settings(max_examples=150)
@given(rules, schedules)
def test_the_outcome_tells_exactly_what_has_changed(book: tuple[Rule, ...], schedule: tuple[Update, ...]) -> None:
    repository = populated()
    was, asserted = set(repository), set(repository.asserted)
    outcome = run(repository, Rulebook(FAMILY, book), schedule)
    now, asserted_now = set(repository), set(repository.asserted)
    assert now == closure(asserted_now, FAMILY)
    assert conforms(asserted_now, FAMILY)
    assert set(outcome.changes.inserted) == now - was
    assert set(outcome.changes.deleted) == was - now
    assert set(outcome.changes.edits.inserted) == asserted_now - asserted
    assert set(outcome.changes.edits.deleted) == asserted - asserted_now
    assert all(entry.status is not Status.ACTIVE for entry in outcome.entries)
    assert all((entry.error is None) == (entry.status is Status.COMMITTED) for entry in outcome.entries)


@settings(max_examples=150)
@given(rules, schedules)
def test_compensation_restores_the_graph_exactly(book: tuple[Rule, ...], schedule: tuple[Update, ...]) -> None:
    """One transaction, whatever it does by rules that abort with it, fails at its end."""
    repository = populated()
    was, asserted = set(repository), set(repository.asserted)
    (failing,) = parse_updates(PREAMBLE + "INSERT (resource(ex:mug), seq++, resource(ex:ann));;")
    bound = [_bound(rule) for rule in book]
    schedule = tuple(_in("t", update) for update in (*schedule, failing))
    outcome = run(repository, Rulebook(FAMILY, bound), schedule)
    assert {entry.status for entry in outcome.entries} == {Status.ABORTED}
    assert set(repository) == was
    assert set(repository.asserted) == asserted
    assert outcome.changes == Changes()


@settings(max_examples=300)
@given(schedules, schedules)
def test_who_has_nothing_to_do_with_what_is_undone_stays(before: tuple[Update, ...], after: tuple[Update, ...]) -> None:
    """A transaction of its own in the middle; who fails around it concerns it only where they change what it needs."""
    repository = town(
        a("eve", "Person"), a("toy", "Thing"), arc("ann", "likes", "bob"), arc("cat", "name", Literal("x"))
    )
    innocent = parse_updates(PREAMBLE + "TRANSACTION innocent\nINSERT (resource(ex:eve), ex:owns, resource(ex:toy));;")
    failing = parse_updates(PREAMBLE + "TRANSACTION t\nINSERT (resource(ex:mug), seq++, resource(ex:ann));;")
    built = parse_updates(
        PREAMBLE + "TRANSACTION t\nINSERT resource(ex:dan) AS INSTANCE OF Person;;\n"
        "TRANSACTION u\nINSERT (resource(ex:dan), ex:name, 'x');;"
    )
    outcome = run(repository, Rulebook(FAMILY), (*before, *built, *innocent, *after, *failing))
    needed = {a("eve", "Person"), a("toy", "Thing"), arc("eve", "owns", "toy")}
    others = [entry for entry in outcome.entries if entry.transaction != "innocent"]
    changed = {t for e in others for d in e.actions for t in (*d.changes.inserted, *d.changes.deleted)}
    [mine] = [entry for entry in outcome.entries if entry.transaction == "innocent"]
    assert mine.status is Status.COMMITTED or needed & changed


def _bound(rule: Rule) -> Rule:
    return replace(rule, abort=Abort.MUTUAL, coupling=Coupling.IMMEDIATE)


def _in(name: str, update: Update) -> Update:
    return replace(update, transaction=name)


@given(rules, schedules)
def test_a_dry_run_leaves_everything_as_it_was(book: tuple[Rule, ...], schedule: tuple[Update, ...]) -> None:
    repository, other = populated(), populated()
    was = set(repository.store)
    rehearsed = Runner(repository, Rulebook(FAMILY, book), limits=LIMITS).dry_run(schedule)
    assert set(repository.store) == was
    assert shown(rehearsed) == shown(run(other, Rulebook(FAMILY, book), schedule))


@given(rules, schedules)
def test_a_step_changes_neither_its_state_nor_the_graph(book: tuple[Rule, ...], schedule: tuple[Update, ...]) -> None:
    repository = populated()
    context = StepContext(repository, Rulebook(FAMILY, book), limits=LIMITS)
    state, given_ = State(), Submit(tuple(resolved_update(update, FAMILY) for update in schedule))
    answer: object = given_
    for _ in range(1000):
        before, graph = repr(state), set(repository.store)
        first = step(state, answer, context)  # type: ignore[arg-type]
        again = step(state, answer, context)  # type: ignore[arg-type]
        assert repr(state) == before
        assert set(repository.store) == graph
        assert repr(first) == repr(again)
        state, effects = first
        if any(isinstance(effect, Finished) for effect in effects):
            return
        answer = Advance()
        for effect in effects:
            if isinstance(effect, Apply | Compensate):
                try:
                    answer = Applied(repository.apply(effect.edits))
                except SchemaViolation as error:
                    answer = Refused(error)
    raise AssertionError("a schedule within its limits did not end")


@given(rules, schedules, st.integers(0, 30))
def test_a_schedule_that_is_cut_off_is_put_back(
    book: tuple[Rule, ...], schedule: tuple[Update, ...], after: int
) -> None:
    repository = populated()
    was = set(repository.store)
    runner = Runner(repository, Rulebook(FAMILY, book), limits=LIMITS)
    calls = 0
    apply = repository.apply

    def failing(edits: object, seen: object = None) -> Changes:
        nonlocal calls
        calls += 1
        if calls == after + 1:
            raise KeyboardInterrupt
        return apply(edits, seen)  # type: ignore[arg-type]

    repository.apply = failing  # type: ignore[method-assign]
    try:
        runner.run(schedule)
    except KeyboardInterrupt:
        assert set(repository.store) == was


def test_execution_can_be_fed_by_hand() -> None:
    repository = populated()
    (update,) = parse_updates(PREAMBLE + "INSERT (resource(ex:ann), ex:owns, resource(ex:cup));;")
    execution = Execution(repository, StepContext(repository, Rulebook(FAMILY)))
    execution.take(Submit((update,)))
    while not execution.take(Advance()):
        pass
    assert execution.net.changes.inserted == (arc("ann", "owns", "cup"),)
