"""The inbox of a home: what others ask the program for is done once, whoever is killed when."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from tests.rules.execution.town import PREAMBLE, a
from tests.rules.family import FAMILY

from triplewire.client.peer import inbox as inboxes
from triplewire.client.peer.home_repository import HomeRepository
from triplewire.client.peer.inbox import Inbox
from triplewire.client.peer.own_updates import OwnTransaction, execute
from triplewire.errors import SyntaxProblem

BOB = f"{PREAMBLE}INSERT resource(http://example.org/bob) AS INSTANCE OF Person;;"
CAT = "INSERT resource(http://example.org/cat) AS INSTANCE OF Person;;"
NEW = OwnTransaction(transaction="t1", status="committed", inserted=1, serial=1)


@pytest.fixture
def inbox(tmp_path) -> Inbox:
    return Inbox(tmp_path / "inbox")


@pytest.fixture
def repository(tmp_path) -> Iterator[HomeRepository]:
    repository = HomeRepository(tmp_path / "repository.db", "tw-ann")
    repository.put_schema(FAMILY)
    yield repository
    repository.close()


def test_transactions_of_a_text_are_done_each_for_itself(repository):
    text = f"""{BOB}
        INSERT resource(http://example.org/x) AS INSTANCE OF Nothing;;
        TRANSACTION later {CAT}
        TRANSACTION later DELETE resource(http://example.org/bob);;"""
    found = execute(repository, text)
    assert [(one.transaction, one.status, one.inserted, one.deleted, one.serial) for one in found] == [
        ("t1", "committed", 1, 0, 1),
        ("t2", "failed", 0, 0, 0),
        ("later", "committed", 1, 1, 2),
    ]
    assert found[1].error.startswith("wanted a class of the schema, found 'Nothing'")
    assert set(repository.triples) == {a("cat", "Person")}


def test_what_does_not_parse_is_not_begun(repository):
    with pytest.raises(SyntaxProblem):
        execute(repository, f"{BOB}DELETE")
    assert set(repository.triples) == set()


def test_what_is_asked_for_is_done_answered_and_forgotten(inbox, repository):
    first, second = inbox.put(BOB), inbox.put(PREAMBLE + CAT)
    assert inbox.waiting() == [first, second]
    assert inbox.answer(first) is None
    for key in inbox.waiting():
        inbox.execute(key, repository)
    assert inbox.answer(first).transactions == (NEW,)
    assert inbox.waiting() == []
    for key in (first, second):
        inbox.remove(key)
    assert inbox.answer(first) is None
    inbox.execute(inbox.put(""), repository)
    assert repository.keys == frozenset()


def test_it_is_done_once_also_by_the_next_program(inbox, repository, tmp_path, monkeypatch):
    """The program is killed between the repository's disk and the answer's."""
    key = inbox.put(BOB)
    with monkeypatch.context() as patch:
        patch.setattr(inboxes, "replace_file", _killed)
        with pytest.raises(KeyboardInterrupt):
            inbox.execute(key, repository)
    assert inbox.waiting() == [key]
    with closing(HomeRepository(tmp_path / "repository.db", "tw-ann")) as next_one:
        inbox.execute(key, next_one)
        assert next_one.site.stream.serial == 1
    assert inbox.answer(key).transactions == (NEW,)


@pytest.mark.parametrize("content", [b"DELETE", b"\xff"])
def test_what_cannot_be_read_is_answered(inbox, repository, tmp_path, content):
    key = inbox.put("")
    (tmp_path / "inbox" / f"{key}.rdftl").write_bytes(content)
    inbox.execute(key, repository)
    assert inbox.answer(key).error
    assert inbox.answer(key).transactions == ()


def test_what_was_taken_back_is_not_done(inbox, repository):
    key = inbox.put(BOB)
    inbox.remove(key)
    inbox.execute(key, repository)
    assert set(repository.triples) == set()


def _killed(*_: object) -> None:
    raise KeyboardInterrupt
