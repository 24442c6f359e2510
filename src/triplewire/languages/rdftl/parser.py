"""From the text of rules and updates to what they say."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from msgspec.structs import replace

from triplewire.errors import InputError, LimitExceeded
from triplewire.languages.rdftl import tokens
from triplewire.languages.rdftl.change_parser import ChangeReader
from triplewire.languages.rdftl.clauses import RuleClauses, default_abort, label
from triplewire.languages.rdftl.definitions import Definitions, Preamble
from triplewire.languages.rdftl.scope import IN_THE_EVENT, NO_EVENT, parts_of
from triplewire.languages.rdftl.syntax import Coupling, Rule, RuleAction, Update
from triplewire.languages.scanner import MAX_TEXT_BYTES, SPACES_AND_COMMENTS, Scanner, TextLimit

MAX_FILE_BYTES = 16 << 20
_FILE = TextLimit("file of rules or updates", MAX_FILE_BYTES)
_ONE_RULE = TextLimit("rule", MAX_TEXT_BYTES)


def parse_rules(text: str, *, source: str | None = None) -> tuple[Rule, ...]:
    """The rules of a file, each with `;;` behind it. Without a RULE clause they are r1, r2 and so on by place."""
    with _located(source):
        return tuple(_each_rule(Scanner(text, SPACES_AND_COMMENTS, _FILE)))


def parse_rule(text: str, *, id: str | None = None) -> Rule:  # noqa: A002  what a rule is called everywhere
    """One rule. A RULE clause, if there is one, must say the same name; without both it is called r1."""
    scanner = Scanner(text, SPACES_AND_COMMENTS, _ONE_RULE)
    rule, _ = _rule(scanner, Preamble(), id or "r1")
    if id is not None and rule.id != id:
        raise scanner.problem(wanted=f"the rule {id!r}", found=f"RULE {rule.id!r}", offset=0)
    scanner.accept(tokens.END)
    _check_end(scanner)
    return rule


def parse_updates(text: str, *, source: str | None = None) -> tuple[Update, ...]:
    """The updates of a file, each with `;;` behind it, each in its own transaction until a TRANSACTION clause."""
    with _located(source):
        return _named(list(_each_update(Scanner(text, SPACES_AND_COMMENTS, _FILE))))


@contextmanager
def _located(source: str | None) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        raise (error if source is None else error.located_in(source)) from None


# Rules


def _each_rule(scanner: Scanner) -> Iterator[Rule]:
    preamble: Preamble | None = None
    places: dict[str, int] = {}
    while not scanner.at_end:
        start = scanner.offset
        rule, defined = _rule(scanner, preamble or Preamble(), f"r{len(places) + 1}")
        preamble = preamble or defined
        _end_statement(scanner, start)
        if rule.id in places:
            raise scanner.problem(
                wanted="each rule's name once",
                found=f"{rule.id!r} again",
                hint=f"rule {places[rule.id]} has it",
                offset=start,
            )
        places[rule.id] = len(places) + 1
        yield rule


def _rule(scanner: Scanner, inherited: Preamble, name: str) -> tuple[Rule, Preamble]:
    definitions = Definitions(scanner, inherited)
    clauses = RuleClauses(scanner, definitions.terms)
    while definitions.accept() or clauses.accept():
        pass
    scanner.expect(tokens.ON, "a clause of the preamble, or ON and the event")
    queries, scope = definitions.queries, definitions.queries.scope
    changes = ChangeReader(scanner, definitions.terms, queries)
    queries.scope = scope.with_delta(IN_THE_EVENT)
    event = changes.event()
    queries.scope = scope.with_delta(parts_of(event))
    scanner.expect(tokens.IF, "IF and the condition")
    condition = queries.condition()
    scanner.expect(tokens.DO, "DO and the actions, or and/or with another condition")
    actions = _actions(scanner, changes)
    coupling = clauses.coupling or Coupling.IMMEDIATE
    rule = Rule(
        id=clauses.name or name,
        event=event,
        condition=condition,
        actions=actions,
        lets=definitions.lets(),
        coupling=coupling,
        abort=clauses.abort or default_abort(coupling),
        precedes=clauses.precedes,
        namespaces=definitions.namespaces(),
    )
    return rule, definitions.whole()


def _actions(scanner: Scanner, changes: ChangeReader) -> tuple[RuleAction, ...]:
    actions = [changes.rule_action()]
    while scanner.accept(tokens.BETWEEN_ACTIONS):
        actions.append(changes.rule_action())
    return tuple(actions)


# Updates


def _each_update(scanner: Scanner) -> Iterator[Update]:
    preamble: Preamble | None = None
    transaction = ""
    while not scanner.at_end:
        start = scanner.offset
        update, defined = _update(scanner, preamble or Preamble(), transaction)
        preamble, transaction = preamble or defined, update.transaction
        _end_statement(scanner, start)
        yield update


def _update(scanner: Scanner, inherited: Preamble, transaction: str) -> tuple[Update, Preamble]:
    definitions = Definitions(scanner, inherited)
    while True:
        if scanner.accept(tokens.TRANSACTION):
            transaction = label(scanner, definitions.terms, "the name of the transaction")
        elif not definitions.accept():
            break
    definitions.queries.scope = definitions.queries.scope.with_delta(NO_EVENT)
    action = ChangeReader(scanner, definitions.terms, definitions.queries).action()
    update = Update(
        action=action, lets=definitions.lets(), transaction=transaction, namespaces=definitions.namespaces()
    )
    return update, definitions.whole()


def _named(updates: list[Update]) -> tuple[Update, ...]:
    """Give each update without a transaction a name that no other has."""
    taken = {update.transaction for update in updates}
    return tuple(
        update if update.transaction else replace(update, transaction=_free(f"t{place}", taken))
        for place, update in enumerate(updates, 1)
    )


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "-"
    return name


# Between statements


def _end_statement(scanner: Scanner, start: int) -> None:
    scanner.expect(tokens.END, ";; after the rule or update")
    if scanner.offset - start > MAX_TEXT_BYTES:
        allowed = f"a rule or update may have {MAX_TEXT_BYTES:,} characters"
        error = LimitExceeded("characters of a rule", MAX_TEXT_BYTES, allowed, found="more")
        raise error.standing_in(scanner.text, start)


def _check_end(scanner: Scanner) -> None:
    if not scanner.at_end:
        raise scanner.problem(wanted="the end of the rule", found=scanner.here())
