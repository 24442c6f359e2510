"""Queries that grow, one construct at a time, and what becomes of a process that evaluates them.

Run as a file with the name of a construct and sizes of stacks in KiB: prints, for each, the least count that overflows
it. With `accepted` before the name: the largest count that is accepted, after that was evaluated on the given stack.
Whatever might crash runs in a fork.
"""

from __future__ import annotations

import os
import resource
import sys
import threading
from collections.abc import Callable

from pyoxigraph import DefaultGraph, Literal, NamedNode, Quad, Store

SECONDS = 60
_ENOUGH_ROWS = 200
_MOST = 40_000
_INTEGER = NamedNode("http://www.w3.org/2001/XMLSchema#integer")


def _where(inner: str) -> str:
    return f"SELECT * {{ ?s <urn:p> ?o {inner} }}"


def _filtered(condition: str) -> str:
    return _where(f"FILTER({condition})")


def _counted(count: int, text: str, between: str = " ") -> str:
    return between.join(text.replace("#", str(n)) for n in range(count))


def _wrapped(count: int, before: str, after: str, inside: str = "?o") -> str:
    return before * count + inside + after * count


# Every one is legal SPARQL for any count from 2.
CONSTRUCTS: dict[str, Callable[[int], str]] = {
    "sum": lambda n: _filtered("?o" + " + ?o" * n + " > 0"),
    "sum in parentheses": lambda n: _filtered(_wrapped(n, "?o + (", ")") + " > 0"),
    "product": lambda n: _filtered("?o" + " * ?o" * n + " > 0"),
    "or": lambda n: _filtered(_counted(n, "?o * ?o = #", " || ")),
    "and": lambda n: _filtered(_counted(n, "?o * ?o != -#", " && ")),
    "or and": lambda n: _filtered(_wrapped(n, "?o * ?o = 2 || (?o * ?o = 1 && (", "))", "?o * ?o = 1")),
    "not": lambda n: _filtered(_wrapped(n, "!(", ")", "?o * ?o")),
    "sign": lambda n: _filtered(_wrapped(n, "-(", ")") + " != 0"),
    "equal": lambda n: _filtered(_wrapped(n, "?o * ?o = (", ")")),
    "in": lambda n: _filtered(f"?o * ?o IN ({_counted(n, '#', ', ')})"),
    "in nested": lambda n: _filtered(_wrapped(n, "?o * ?o IN (", ")")),
    "call": lambda n: _filtered(_wrapped(n, "ABS(", ")") + " = 1"),
    "if": lambda n: _filtered(_wrapped(n, "IF(true, ", ", 1)") + " = 1"),
    "coalesce": lambda n: _filtered(_wrapped(n, "COALESCE(", ")") + " = 1"),
    "cast": lambda n: _filtered(_wrapped(n, f"{_INTEGER}(", ")") + " = 1"),
    "filters": lambda n: _where(_counted(n, "FILTER(?o * ?o != -#)")),
    "binds": lambda n: _where(_counted(n, "BIND(?o AS ?v#)")),
    "union": lambda n: f"SELECT * {{ {_counted(n, '{ ?s <urn:p> ?o }', ' UNION ')} }}",
    "union nested": lambda n: f"SELECT * {{ {_wrapped(n, '{ ?s <urn:p> ?o } UNION { ', '}', '')} }}",
    "groups": lambda n: f"SELECT * {_wrapped(n, '{', '} ', '?s <urn:p> ?o OPTIONAL {}')}",
    "optionals": lambda n: _where(_counted(n, "OPTIONAL { ?s <urn:p> ?o }")),
    "optional nested": lambda n: _where(_wrapped(n, "OPTIONAL { ?s <urn:p> ?o ", "}", "")),
    "minus": lambda n: _where("MINUS { ?s <urn:x> ?o }" * n),
    "minus nested": lambda n: _where(_wrapped(n, "MINUS { ?s <urn:p> ?o ", "}", "")),
    "graph nested": lambda n: f"SELECT * {{ {_wrapped(n, 'GRAPH ?g {', '}', '?s <urn:p> ?o')} OPTIONAL {{}} }}",
    "exists": lambda n: _where(_wrapped(n, "FILTER EXISTS { ?s <urn:p> ?o ", "}", "")),
    "not exists": lambda n: _where(_wrapped(n, "FILTER NOT EXISTS { ?s <urn:p> ?o ", "}", "")),
    "patterns": lambda n: f"SELECT * {{ {'?s <urn:p> ?o . ' * n} OPTIONAL {{}} }}",
    "paths": lambda n: f"SELECT * {{ {'?s <urn:p>* ?o . ' * n} }}",
    "values": lambda n: _where("VALUES ?o { 1 }" * n),
    "sub-select": lambda n: f"SELECT * {{ {_wrapped(n, '{ SELECT * {', '}}', '?s <urn:p> ?o')} }}",
    "sub-select with modifiers": lambda n: (
        f"SELECT * {{ {_wrapped(n, '{ SELECT DISTINCT * {', '} ORDER BY ?s LIMIT 9 }', '?s <urn:p> ?o')} }}"
    ),
    "sequence": lambda n: f"SELECT * {{ ?s {_counted(n, '<urn:p>', '/')} ?o OPTIONAL {{}} }}",
    "alternative": lambda n: f"SELECT * {{ ?s {_counted(n, '<urn:p#>', '|')} ?o }}",
    "alternative repeated": lambda n: f"SELECT * {{ ?s ({_counted(n, '<urn:p#>', '|')})* ?o }}",
    "path nested": lambda n: f"SELECT * {{ ?s {_wrapped(n, '(<urn:p>/', ')*', '<urn:p>')} ?o }}",
    "path inverse": lambda n: f"SELECT * {{ ?s {_wrapped(n, '^(', ')', '<urn:p>')} ?o OPTIONAL {{}} }}",
    "projection": lambda n: f"SELECT {_counted(n, '(?o AS ?v#)')} {{ ?s <urn:p> ?o }}",
    "aggregates": lambda n: f"SELECT {_counted(n, '(COUNT(?o) AS ?v#)')} {{ ?s <urn:p> ?o }}",
    "group keys": lambda n: f"SELECT (1 AS ?x) {{ ?s <urn:p> ?o }} GROUP BY {_counted(n, '(?o + 1 AS ?v#)')}",
    "order keys": lambda n: f"SELECT ?s {{ ?s <urn:p> ?o }} ORDER BY {_counted(n, '(?o + #)')}",
    "having": lambda n: f"SELECT ?s {{ ?s <urn:p> ?o }} GROUP BY ?s HAVING {'(COUNT(?o) > 0)' * n}",
    "template": lambda n: f"CONSTRUCT {{ {'?s <urn:p> ?o . ' * n} }} {{ ?s <urn:p> ?o OPTIONAL {{}} }}",
    "template blank nodes": lambda n: (
        f"CONSTRUCT {{ ?s <urn:p> {_wrapped(n, '[ <urn:p> ', ']')} }} {{ ?s <urn:p> ?o OPTIONAL {{}} }}"
    ),
    "blank nodes": lambda n: f"SELECT * {{ ?s <urn:p> {_wrapped(n, '[ <urn:p> ', ']')} OPTIONAL {{}} }}",
    "lists": lambda n: f"SELECT * {{ ?s <urn:p> {_wrapped(n, '(', ')')} OPTIONAL {{}} }}",
    "calls in exists": lambda n: _where(_wrapped(n, "FILTER(ABS(IF(EXISTS { ?s <urn:p> ?o ", "}, 1, 2)) = 1)", "")),
}


def _store() -> Store:
    store = Store()
    for graph in (DefaultGraph(), NamedNode("urn:g")):
        store.add(Quad(NamedNode("urn:s"), NamedNode("urn:p"), Literal("1", datatype=_INTEGER), graph))
        store.add(Quad(NamedNode("urn:s"), NamedNode("urn:p"), NamedNode("urn:s"), graph))
    return store


def _query_raw(text: str) -> None:
    for row, _ in enumerate(_store().query(text)):  # type: ignore[arg-type]
        if row >= _ENOUGH_ROWS:
            break


def _evaluate_as_subscription(text: str) -> None:
    """On an event whose terms Oxigraph's store would keep, and on one that it would change."""
    from triplewire import Event, Matcher, Subscription

    matcher = Matcher()
    matcher.add(Subscription.parse(text, id="probe"))
    for number in ("1", "01"):
        data = f'<urn:s> <urn:p> "{number}"^^{_INTEGER} .\n<urn:s> <urn:p> <urn:s> .'
        matcher.match(Event.parse(data, graph="urn:e")[0])


def crashes(work: Callable[[str], None], text: str, stack: int) -> bool:
    """Whether the work ends its process, on a thread with so many KiB of stack."""
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        os._exit(_worked(work, text, stack))
    status = os.waitpid(child, 0)[1]
    if os.WIFEXITED(status) and os.WEXITSTATUS(status):
        sys.exit(f"the probe itself failed: {text[:2_000]}")
    return os.WIFSIGNALED(status)


def _worked(work: Callable[[str], None], text: str, stack: int) -> int:
    """0 where the work ends, in time or with an answer that it is too much; 1 where it is no such query at all."""
    failures: list[BaseException] = []

    def run() -> None:
        try:
            work(text)
        except BaseException as failure:  # noqa: BLE001  told to the parent
            failures.append(failure)

    threading.stack_size(stack << 10)
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return int(any(not type(failure).__name__.startswith("BudgetExceeded") for failure in failures))


def least_that_crashes(name: str, stack: int) -> int:
    """By doubling, then by bisection to a few parts in a hundred."""
    make = CONSTRUCTS[name]
    fine, count = 1, 2
    while not crashes(_query_raw, make(count), stack):
        fine, count = count, count * 2
        if count > _MOST:
            return _MOST
    while count - fine > max(1, fine // 50):
        middle = (fine + count) // 2
        if crashes(_query_raw, make(middle), stack):
            count = middle
        else:
            fine = middle
    return count


def most_accepted(name: str) -> int:
    """The largest count that our limits let through; nothing is given to Oxigraph."""
    fine, count = 1, 2
    while _is_accepted(CONSTRUCTS[name](count)):
        fine, count = count, count * 2
    while count - fine > 1:
        middle = (fine + count) // 2
        fine, count = (middle, count) if _is_accepted(CONSTRUCTS[name](middle)) else (fine, middle)
    return fine


def _is_accepted(text: str) -> bool:
    from triplewire.algebra.queries import GeneralQuery
    from triplewire.algebra.subscriptions import Subscription
    from triplewire.errors import LimitExceeded
    from triplewire.matching.general.plan import GeneralPlan

    try:
        query = Subscription.parse(text).query
        assert isinstance(query, GeneralQuery), text
        GeneralPlan(query).check()
    except LimitExceeded:
        return False
    return True


if __name__ == "__main__":
    if sys.argv[1] == "accepted":
        most = most_accepted(sys.argv[2])
        print(-1 if crashes(_evaluate_as_subscription, CONSTRUCTS[sys.argv[2]](most), int(sys.argv[3])) else most)
    else:
        print(*(least_that_crashes(sys.argv[1], int(size)) for size in sys.argv[2:]))
