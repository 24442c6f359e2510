"""A host over a folder: five rules that pass a message on, so that a crash may fall between them."""

from __future__ import annotations

import sys
from concurrent.futures import Future
from pathlib import Path

from tests.rules.execution.town import PREAMBLE, a
from tests.rules.family import EX, FAMILY

from triplewire.languages.rdftl import parse_updates
from triplewire.rdf.terms import Literal
from triplewire.rules.execution import Outcome
from triplewire.rules.hosting import RuleHost
from triplewire.store import Database

STEPS = 5
SECONDS = 20


def prepared(host: RuleHost) -> None:
    """A queue, and a cascade: each name given to Ann appends five elements, one rule after the other."""
    host.set_schema(FAMILY).result(SECONDS)
    people = [a("ann", "Person"), a("log", "Queue")]
    classes = ", ".join(f"(resource({t.subject}), rdf:type, resource({t.object}))" for t in people)
    host.execute(parse_updates(f"INSERT {classes};;")).result(SECONDS)
    for step in range(1, STEPS + 1):
        text = (
            f"ON INSERT (resource(ex:ann), ex:name, '{step}') IF True DO "
            "INSERT (resource(ex:log), seq++, resource(ex:ann));"
            "DELETE (resource(ex:ann), ex:name, _);"
            f"INSERT (resource(ex:ann), ex:name, '{step + 1}')"
        )
        host.put_rule(f"step{step}", PREAMBLE + text, "ann").result(SECONDS)


def started(host: RuleHost) -> Future[Outcome]:
    """Set the cascade off."""
    update = "DELETE (resource(ex:ann), ex:name, _);; INSERT (resource(ex:ann), ex:name, '1');;"
    return host.execute(parse_updates(PREAMBLE + "TRANSACTION t\n" + update))


def length(host: RuleHost) -> int:
    return host.read(lambda repository: repository.last_element(EX["log"]))


def is_whole(host: RuleHost) -> bool:
    """Whether no cascade has stopped on its way."""
    names = host.read(lambda repository: [t.object for t in repository.match(EX["ann"], EX["name"], None)])
    return length(host) % STEPS == 0 and names in ([], [Literal(f"{STEPS + 1}")])


def main(folder: Path) -> None:
    """Run cascades without end, and tell how many were acknowledged."""
    host = RuleHost(Database(folder))
    if not host.rules:
        prepared(host)
    while True:
        waiting = [started(host) for _ in range(4)]
        for future in waiting:
            future.result(SECONDS)
            print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
