"""A home's repository: whatever it has done and said is there again when it is opened, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.rules.execution.town import PREAMBLE, a, arc
from tests.rules.family import EX, FAMILY

from triplewire.client.peer import home_repository
from triplewire.client.peer.home_repository import HomeRepository
from triplewire.client.peer.record_file import Record, RecordFile
from triplewire.errors import DamagedStore, DiskFull, LimitExceeded, SchemaViolation, UnknownName
from triplewire.federation.sites.requests import (
    Compensate,
    Detect,
    Detected,
    EventQuery,
    Execute,
    Executed,
    Forget,
    Match,
    Matched,
    Numbered,
    NumberedReply,
    Received,
    Refused,
    Report,
    Told,
)
from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.languages.rdftl.syntax import Update
from triplewire.rdf.terms import Literal
from triplewire.rules.changes import Edits
from triplewire.rules.graphs import Lookup
from triplewire.rules.name_resolution import resolved, resolved_update
from triplewire.rules.schema import Schema
from triplewire.rules.vocabulary import TYPE
from triplewire.testing import FaultyDisk

PEER = "tw-ann"
BOB = "INSERT resource(http://example.org/bob) AS INSTANCE OF Person;;"
NAMED = "INSERT (resource(http://example.org/ann), name, 'Ann');;"


def updates(text: str) -> tuple[Update, ...]:
    return parse_updates(PREAMBLE + text)


def executing(text: str, number: int = 1, **facts) -> Numbered:
    (update,) = updates(text)
    return Numbered(number, Execute("u", resolved_update(update, FAMILY).action, **facts))


@pytest.fixture
def path(tmp_path) -> Path:
    path = tmp_path / "repository.db"
    with closing(HomeRepository(path, PEER)) as repository:
        repository.put_schema(FAMILY)
        repository.load([a("ann", "Person")])
    return path


@pytest.fixture
def repository(path) -> Iterator[HomeRepository]:
    repository = HomeRepository(path, PEER)
    yield repository
    repository.close()


def again(repository: HomeRepository, path: Path) -> HomeRepository:
    """The same home after its program was killed: another connection reads what is on the disk now."""
    found = HomeRepository(path, PEER)
    assert set(found.triples) == set(repository.triples)
    assert found.site.repository.derived == repository.site.repository.derived
    assert found.site.view.nodes == repository.site.view.nodes
    assert set(found.site.view.references) == set(repository.site.view.references)
    assert found.site.stream == repository.site.stream
    return found


def test_a_change_and_what_is_told_of_it_are_there_again(repository, path):
    told = repository.change(updates(BOB), author="ann", name="t1")
    assert isinstance(told.what, Report)
    assert told.what.changes.edits.inserted == (a("bob", "Person"),)
    found = again(repository, path)
    assert set(found.triples) == {a("ann", "Person"), a("bob", "Person")}
    assert list(found.site.stream.to_repeat) == [told]
    assert found.schema == FAMILY


def test_what_was_loaded_is_not_reported(repository, path):
    assert repository.load([a("ann", "Person"), a("cat", "Worker")]) == 1
    assert again(repository, path).site.stream.serial == 0


def test_what_does_not_conform_changes_nothing(repository, path):
    with pytest.raises(SchemaViolation):
        repository.load([a("cat", "Person"), arc("ann", "owns", "bob")])
    with pytest.raises(UnknownName):
        repository.change(updates(BOB + "INSERT (resource(http://example.org/ann), nothing, 'x');;"))
    assert set(again(repository, path).triples) == {a("ann", "Person")}


def test_a_request_is_answered_once_also_by_the_next_program(repository, path):
    told = repository.receive(executing(NAMED))
    assert isinstance(told, Told)
    assert isinstance(told.what.reply, Executed)
    found = again(repository, path)
    assert found.receive(executing(NAMED)) == told
    assert len(set(found.triples)) == 2
    assert found.receive(executing(NAMED, number=0)) is None


def test_what_was_received_is_not_repeated_and_still_answered(repository, path):
    told = repository.receive(executing(NAMED))
    assert repository.receive(Received(told.serial)) is None
    found = again(repository, path)
    assert list(found.site.stream.to_repeat) == []
    assert found.receive(executing(NAMED)) == told
    assert found.site.stream.next_serial == 2


def test_events_of_an_earlier_change_are_found_by_the_next_program(repository, path):
    rule = resolved(
        parse_rule(f"{PREAMBLE}ON INSERT resource() AS INSTANCE OF Person IF True DO DELETE $delta"), FAMILY
    )
    told = repository.change(updates(BOB))
    repository.change(updates("DELETE resource(http://example.org/bob);;"))
    asked = Numbered(1, Detect(told.serial, (EventQuery("r", rule.event, rule.lets),)))
    found = again(repository, path)
    answer = found.receive(asked)
    assert isinstance(answer.what.reply, Detected)
    assert [list(delta.values()) for delta in answer.what.reply.deltas["r"]] == [[EX["bob"]]]
    found.receive(Forget(told.serial))
    refused = again(found, path).receive(Numbered(2, asked.request))
    assert isinstance(refused.what.reply, Refused)


def test_arcs_that_were_moved_are_kept_with_their_change(repository, path):
    repository.load([arc("ann", "name", Literal("Ann"))])
    told = repository.receive(executing("UPDATE (resource(http://example.org/ann), name, 'Ann' -> 'Anna');;"))
    found = again(repository, path)
    [moved] = found.site.stream.kept[told.serial].updates[0].moved
    assert (moved.old.object, moved.new.object) == (Literal("Ann"), Literal("Anna"))


def test_an_arc_to_what_another_site_describes_is_there_again(repository, path):
    knows = "INSERT (resource(http://example.org/ann), likes, resource(http://example.org/zoe));;"
    told = repository.receive(executing(knows, classes={EX["zoe"]: frozenset({EX["Person"], EX["Being"]})}))
    assert isinstance(told.what.reply, Executed)
    found = again(repository, path)
    assert arc("ann", "likes", "zoe") in set(found.triples)
    found.put_schema(
        FAMILY.merge(Schema.parse("@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . <urn:C> a rdfs:Class ."))
    )
    assert arc("ann", "knows", "zoe") in again(found, path).site.repository


def test_a_compensation_is_there_again(repository, path):
    repository.receive(executing(NAMED))
    repository.receive(Numbered(2, Compensate(Edits(deleted=(arc("ann", "name", Literal("Ann")),)))))
    assert set(again(repository, path).triples) == {a("ann", "Person")}


def test_a_sub_query_is_answered_and_leaves_nothing(repository, path):
    answer = repository.receive(Match("q", (Lookup(None, TYPE, EX["Being"]),)))
    assert isinstance(answer, Matched)
    assert answer.answers == ((a("ann", "Being"),),)
    assert again(repository, path).site.stream.serial == 0


# Schemas


def test_another_schema_is_used_if_what_is_there_conforms(repository, path):
    more = Schema.parse("""
        @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> . @prefix ex: <http://example.org/> .
        ex:Being rdfs:subClassOf ex:Everything .""")
    repository.put_schema(FAMILY.merge(more))
    assert a("ann", "Everything") in again(repository, path).site.repository
    with pytest.raises(SchemaViolation):
        repository.put_schema(more)
    assert again(repository, path).schema == FAMILY.merge(more)


# Another super-peer


def test_another_super_peer_hears_as_its_own_doing_what_the_last_one_has_not_received(repository, path):
    repository.at("sp-one")
    first = repository.change(updates(BOB))
    repository.receive(Received(first.serial))
    second = repository.receive(executing(NAMED, number=7))
    repository.at("sp-one")
    assert list(repository.site.stream.to_repeat) == [second]
    repository.at("sp-two")
    found = again(repository, path)
    [told] = found.site.stream.to_repeat
    assert (told.serial, told.what.changes) == (second.serial, second.what.reply.changes)
    assert isinstance(told.what, Report)
    # It counts its requests from one.
    answer = found.receive(executing("INSERT (resource(http://example.org/ann), name, 'A');;"))
    assert (answer.serial, answer.what.number) == (3, 1)


def test_the_first_super_peer_is_no_change(repository, path):
    told = repository.change(updates(BOB))
    repository.at("sp-one")
    assert list(again(repository, path).site.stream.to_repeat) == [told]


# What cannot be kept or said


def test_what_cannot_be_kept_did_not_happen(path):
    disk = FaultyDisk()
    with closing(HomeRepository(path, PEER, disk)) as repository:
        disk.fill()
        with pytest.raises(DiskFull):
            repository.change(updates(BOB))
        with pytest.raises(DiskFull):
            repository.receive(executing(NAMED))
        disk.free()
        assert set(repository.triples) == {a("ann", "Person")}
        assert repository.site.stream.serial == 0
        told = repository.receive(executing(NAMED))
        assert (told.serial, told.what.number) == (1, 1)
        again(repository, path)


def test_what_could_never_be_said_is_not_done(repository, path, monkeypatch):
    def too_large(body: bytes) -> None:
        if len(body) > 300:
            raise LimitExceeded("rule_data_bytes", 300, wanted="at most 300 bytes", found="more")

    monkeypatch.setattr(home_repository, "check_size", too_large)
    long = f"INSERT (resource(http://example.org/ann), name, '{'x' * 300}');;"
    with pytest.raises(LimitExceeded):
        repository.change(updates(long))
    told = repository.receive(executing(long))
    assert told.what == NumberedReply(
        1, Refused("wanted at most 300 bytes, found " + told.what.reply.reason.split()[-1])
    )
    assert set(again(repository, path).triples) == {a("ann", "Person")}


def test_a_record_of_another_version_is_told_and_left_alone(path):
    with closing(RecordFile(path)) as file:
        file.write([Record("later", "thing", b"?")])
    with pytest.raises(DamagedStore, match="found later"):
        HomeRepository(path, PEER)


@pytest.mark.parametrize("kind", ["at", "answered", "told", "kept", "foreign"])
def test_a_record_that_says_nothing_is_told(path, kind):
    with closing(RecordFile(path)) as file:
        file.write(changed=[Record(kind, "1", b"\xc1")])
    with pytest.raises(DamagedStore):
        HomeRepository(path, PEER)
