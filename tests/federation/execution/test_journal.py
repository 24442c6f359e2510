"""What an abort leaves: everything as if what has aborted had never been."""

from __future__ import annotations

import pickle
from random import Random

import pytest
from tests.federation.federation import a, called
from tests.rules.family import EX, FAMILY

from triplewire.federation.execution.journal import Journal, Who
from triplewire.rdf.terms import Triple
from triplewire.rules.changes import Changes, Edits
from triplewire.rules.graphs import Lookup
from triplewire.rules.repository import Repository

ANN_IS_X, ANN_IS_Y = called("ann", "x"), called("ann", "y")
TRIPLES = [called(node, name) for node in ("ann", "bob") for name in ("x", "y", "z")]


def who(name: str, root: str | None = None) -> Who:
    return Who(name, root or name, name)


def all_commute(one: Who, other: Who) -> bool:
    return True


def none_commute(one: Who, other: Who) -> bool:
    return False


class Town:
    """A repository with a journal."""

    def __init__(self, *some: Triple) -> None:
        self.repository = Repository(FAMILY)
        self.repository.load([a("ann", "Person"), a("bob", "Person"), *some])
        self.journal = Journal()

    def do(self, name: str, edits: Edits) -> Changes:
        changes = self.repository.apply(edits)
        self.journal.wrote(0.0, who(name), edits, changes)
        return changes

    def insert(self, name: str, *triples: Triple) -> None:
        self.do(name, Edits(inserted=triples))

    def delete(self, name: str, *triples: Triple) -> None:
        self.do(name, Edits(deleted=triples))

    def abort(self, *names: str) -> None:
        for name in names:
            self.journal.abort(name)
        self.repository.apply(self.journal.compensation(names))

    @property
    def names(self) -> set[Triple]:
        return {triple for triple in self.repository.asserted if triple.predicate == EX["name"]}


def test_insertions_are_deleted_and_deletions_inserted():
    town = Town(ANN_IS_X)
    town.do("t", Edits(inserted=(ANN_IS_Y,), deleted=(ANN_IS_X,)))
    town.abort("t")
    assert town.names == {ANN_IS_X}


def test_of_several_updates_of_one_unit_the_first_one_says_how_it_was():
    town = Town()
    town.insert("t", ANN_IS_X)
    town.delete("t", ANN_IS_X)
    town.insert("t", ANN_IS_X)
    town.abort("t")
    assert town.names == set()


def test_what_another_one_wanted_as_well_stays():
    town = Town()
    town.insert("t", ANN_IS_X)
    town.insert("u", ANN_IS_X)
    town.abort("t")
    assert town.names == {ANN_IS_X}
    town.abort("u")
    assert town.names == set()


@pytest.mark.parametrize("order", [("t", "u"), ("u", "t")])
def test_the_order_in_which_two_abort_does_not_matter(order: tuple[str, str]):
    town = Town()
    town.insert("t", ANN_IS_X)
    town.delete("u", ANN_IS_X)
    for name in order:
        town.abort(name)
    assert town.names == set()


@pytest.mark.parametrize("seed", range(200))
def test_what_is_left_is_what_the_others_do_alone(seed: int):
    """Against running only those that stay. Forgetting the oldest entries meanwhile changes nothing."""
    rng = Random(seed)
    start = [triple for triple in TRIPLES if rng.random() < 0.4]
    town, alone = Town(*start), Town(*start)
    names = ["t", "u", "v", "w"]
    aborting = {name for name in names if rng.random() < 0.5}
    steps = [(rng.choice(names), rng.random() < 0.5, rng.choice(TRIPLES)) for _ in range(rng.randint(1, 14))]
    for name, inserts, triple in steps:
        (town.insert if inserts else town.delete)(name, triple)
        if name not in aborting:
            (alone.insert if inserts else alone.delete)(name, triple)
    for name in rng.sample(sorted(aborting), len(aborting)):
        town.abort(name)
    assert town.names == alone.names
    forgotten = set(rng.sample(sorted(set(names) - aborting), 1)) if len(aborting) < len(names) else set()
    town.journal.forget(1.0, lambda name: name in forgotten or name in aborting)
    last = [name for name in names if name not in aborting | forgotten]
    for name in last:
        town.abort(name)
    expected = Town(*start)
    for name, inserts, triple in steps:
        if name in forgotten:
            (expected.insert if inserts else expected.delete)(name, triple)
    assert town.names == expected.names


class TestReaders:
    def town(self) -> Town:
        town = Town()
        town.journal.read(0.0, who("before"), [Lookup(EX["ann"], EX["name"], None)])
        town.insert("t", ANN_IS_X)
        town.journal.read(0.0, who("after"), [Lookup(EX["ann"], EX["name"], None)])
        town.journal.read(0.0, who("elsewhere"), [Lookup(EX["bob"], EX["name"], None)])
        town.journal.read(0.0, who("child", "t"), [Lookup(EX["ann"], EX["name"], None)])
        return town

    def test_those_that_have_read_it_afterwards_and_are_of_another_transaction(self):
        assert [one.name for one in self.town().journal.readers("t", none_commute)] == ["after"]

    def test_but_not_if_they_commute(self):
        assert self.town().journal.readers("t", all_commute) == []

    def test_nor_if_they_have_aborted(self):
        town = self.town()
        town.journal.abort("after")
        assert town.journal.readers("t", none_commute) == []


class TestConflicts:
    def conflicts(self, town: Town) -> set[tuple[str, str]]:
        return set(town.journal.conflicts(0, none_commute))

    def test_a_reader_comes_after_the_writer_before_it_and_before_the_one_after_it(self):
        town = Town()
        town.insert("t", ANN_IS_X)
        town.journal.read(0.0, who("r"), [Lookup(EX["ann"], None, None)])
        town.insert("u", ANN_IS_Y)
        assert self.conflicts(town) == {("t", "r"), ("r", "u")}

    def test_writers_that_want_the_opposite_are_ordered_others_are_not(self):
        town = Town()
        town.insert("t", ANN_IS_X)
        town.insert("u", ANN_IS_X)
        assert self.conflicts(town) == set()
        town.delete("v", ANN_IS_X)
        assert self.conflicts(town) == {("t", "v"), ("u", "v")}

    def test_what_has_aborted_is_not_ordered(self):
        town = Town()
        town.insert("t", ANN_IS_X)
        town.journal.abort("t")
        town.delete("u", ANN_IS_X)
        assert self.conflicts(town) == set()

    def test_who_has_asked_about_an_earlier_state_comes_before_those_who_wrote_since(self):
        town = Town()
        town.insert("t", ANN_IS_X)
        number = town.journal.number
        town.insert("u", ANN_IS_Y)
        town.journal.read(0.0, who("r"), [Lookup(EX["ann"], None, None)], state=number)
        town.insert("v", called("ann", "z"))
        assert self.conflicts(town) == {("t", "r"), ("r", "u"), ("r", "v")}
        assert town.journal.readers("u", none_commute) == []


@pytest.mark.parametrize("seed", range(100))
def test_what_is_found_by_index_is_what_a_search_from_end_to_end_finds(seed: int):
    rng = Random(seed)
    journal = Journal()
    nodes, names = [EX["ann"], EX["bob"], None], [EX["name"], EX["age"], None]
    writes: list[tuple[int, str, Edits]] = []
    reads: list[tuple[int, str, Lookup]] = []
    for _ in range(rng.randint(2, 20)):
        name = rng.choice("tuvw")
        if rng.random() < 0.5:
            some = tuple(rng.sample(TRIPLES, rng.randint(1, 3)))
            edits = Edits(inserted=some) if rng.random() < 0.5 else Edits(deleted=some)
            number = journal.wrote(0.0, who(name), edits, Changes(edits, edits.inserted, edits.deleted)).number
            writes.append((number, name, edits))
        else:
            lookup = Lookup(rng.choice(nodes), rng.choice(names), rng.choice([TRIPLES[0].object, None]))
            state = rng.choice([journal.number, None])
            number = journal.read(0.0, who(name), [lookup], state=state)
            reads.append((number if state is None else state, name, lookup))
    expected = set()
    for number, name, edits in writes:
        for after, other, more in writes:
            opposed = set(edits.inserted) & set(more.deleted) or set(edits.deleted) & set(more.inserted)
            if number < after and name != other and opposed:
                expected.add((name, other))
        for after, other, lookup in reads:
            if name != other and any(map(lookup.includes, (*edits.inserted, *edits.deleted))):
                expected.add((name, other) if number <= after else (other, name))
    assert set(journal.conflicts(0, none_commute)) == expected
    if rng.random() < 0.5:
        journal = pickle.loads(pickle.dumps(journal))
    assert set(journal.conflicts(0, none_commute)) == expected


class TestWhatSomebodySealedHasBuiltOn:
    def town(self) -> Town:
        town = Town()
        town.do("t", Edits(inserted=(ANN_IS_X, ANN_IS_Y)))
        town.journal.read(0.0, who("s"), [Lookup(EX["ann"], EX["name"], ANN_IS_X.object)], is_check=True)
        town.journal.abort("t")
        return town

    def test_it_stays_and_is_theirs_from_then_on(self):
        town = self.town()
        stays = town.journal.built_on(who("s"), None, ["t"])
        assert stays == {ANN_IS_X: True}
        town.journal.adopt(0.0, who("s"), stays)
        town.abort("t")
        assert town.names == {ANN_IS_X}

    def test_where_nobody_can_tell_all_of_it_does(self):
        assert self.town().journal.built_on(who("other"), None, ["t"]) == {ANN_IS_X: True, ANN_IS_Y: True}

    def test_what_is_as_it_should_be_is_in_nobodys_way(self):
        town = self.town()
        town.abort("t")
        town.journal.compensated(town.journal.compensation(["t"]))
        assert town.journal.built_on(who("s"), None, ["t"]) == {}


def test_a_compensation_that_was_overtaken_is_known():
    town = Town()
    town.insert("t", ANN_IS_X)
    asked = town.journal.number
    assert not town.journal.is_touched_since(asked, [ANN_IS_X])
    town.insert("s", ANN_IS_Y)
    assert not town.journal.is_touched_since(asked, [ANN_IS_X])
    town.insert("s", ANN_IS_X)
    assert town.journal.is_touched_since(asked, [ANN_IS_X])


def test_who_has_built_on_what_is_undone():
    journal = Journal()
    ann = a("ann", "Person")
    journal.wrote(0.0, who("t"), Edits(inserted=(ann,)), Changes(Edits(inserted=(ann,)), (ann,)))
    journal.wrote(0.0, who("u"), Edits(inserted=(ANN_IS_X,)), Changes(Edits(inserted=(ANN_IS_X,)), (ANN_IS_X,)))
    journal.abort("t")
    blocking = journal.blocking(str(ANN_IS_X), ["t"])
    assert blocking is not None
    assert blocking.name == "u"
