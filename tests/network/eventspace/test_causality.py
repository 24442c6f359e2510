"""Before and after, by positions in logs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from triplewire.network.eventspace.causality import Stamp, stamp
from triplewire.testing.memory_storage import MemoryStorage

LOGS = ("a", "b", "c")


class Clients:
    """Clients that act through nodes in turn, and which acts each of them had behind it: the meaning of `follows`."""

    def __init__(self, acts: list[tuple[int, str]]) -> None:
        ends = dict.fromkeys(LOGS, 0)
        seen: list[dict[str, int]] = [{}, {}]
        self.stamps: list[Stamp] = []
        self.before: list[set[int]] = []
        for client, log in acts:
            ends[log] += 1
            self.stamps.append(stamp(log, ends[log], seen[client]))
            known = {n for n, one in enumerate(self.stamps) if one.position <= seen[client].get(one.origin, 0)}
            self.before.append(known | {n for n, one in enumerate(self.stamps[:-1]) if one.origin == log})
            seen[client][log] = ends[log]


ACTS = st.lists(st.tuples(st.integers(0, 1), st.sampled_from(LOGS)), max_size=12).map(Clients)


@given(ACTS)
def test_an_act_follows_what_its_client_has_done_and_what_its_node_has_numbered_before(clients: Clients) -> None:
    for number, one in enumerate(clients.stamps):
        assert {n for n, other in enumerate(clients.stamps) if one.follows(other)} == clients.before[number]


@given(ACTS)
def test_publications_are_found_by_what_they_follow(clients: Clients) -> None:
    storage = MemoryStorage()
    for number, one in enumerate(clients.stamps):
        storage.add_event(str(number), str(number).encode(), one.horizon)
    for other in clients.stamps:
        wanted = {str(n).encode() for n, one in enumerate(clients.stamps) if one.follows(other)}
        assert set(storage.events_following(other.origin, other.position)) == wanted
