"""Queries over members of a space that share it, by messages that are lost and doubled; and evaluation by itself."""

from __future__ import annotations

import pickle
import subprocess
import sys
from random import Random

import pytest
from tests.network.eventspace.members import MemberWorld
from tests.network.queries.asking import Space, same_by_label, solutions_of
from tests.network.queries.generating import query_over, random_events

from triplewire.network.queries import evaluation
from triplewire.network.queries.explain import explain
from triplewire.network.queries.space_query import Fetch, SpaceQuery


@pytest.mark.parametrize("seed", range(3))
def test_the_answer_over_members_is_that_of_one_store(seed: int) -> None:
    rng = Random(seed)
    world = MemberWorld(seed, loss=0.05, doubling=0.05)
    events = random_events(rng)
    world.grow(2)
    for ticket, event in enumerate(events):
        world.carry_out(0, world.publish(0, ticket, event)[1])
    world.run_until_quiet()
    for number in (2, 3, 4):
        world.add(f"n{number}", "n0")
        world.run(6)
    world.run_until_quiet()
    space = Space(events)
    [points] = space.contents
    owners = {name for name, member in world.members.items() for zone in member.zones if any(p in zone for p in points)}
    assert len(owners) > 1
    for number in range(10):
        text = query_over(events, rng)
        run = fetched(world, text, f"n{rng.randrange(5)}", 1_000 * (number + 1))
        answer = solutions_of(*run.evaluate("application/n-triples"))
        assert same_by_label(answer, space.reference(text)), f"{text}\n{explain(text)}"


def fetched(world: MemberWorld, text: str, name: str, ticket: int) -> SpaceQuery:
    """A query with all that it asks for, fetched by one of the members."""
    run = SpaceQuery(text)
    while isinstance(wanted := run.next(), Fetch):
        ticket += 1
        world.do(name, world.hosts[name].member.fetch(world.now, ticket, wanted.boxes, limit=3))
        while not any(page.is_last for page in world.fetched(ticket)):
            world.run(0.25)
        pages = world.fetched(ticket)
        for page in pages:
            run.supply(page.quads, page.is_last, len(page.boxes))
        assert [page.is_last for page in pages] == [*[False] * (len(pages) - 1), True]
    return run


def test_evaluation_runs_in_a_process_that_imports_nothing_else() -> None:
    quads = [(b"<urn:e>", b"<urn:s>", b"<urn:p>", b"<urn:o>")]
    message = pickle.dumps((quads, "SELECT * { GRAPH ?g { ?s ?p ?o } ?s ?p ?o }", "text/csv", 1_000))
    command = [sys.executable, "-I", evaluation.__file__, str(1 << 32)]
    done = subprocess.run(command, input=message, capture_output=True, check=True)
    kind, media_type, content = pickle.loads(done.stdout)
    assert (kind, content.splitlines()[1]) == ("answer", b"urn:e,urn:o,urn:p,urn:s")
    assert media_type.startswith("text/csv")
