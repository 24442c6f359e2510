"""The inbox of a home: updates for the program that uses it, from others on the same machine.

A file `KEY.rdftl` is asked for, `KEY.json` is what came of it. The program does what is there under the file's key, so
that it is done once whoever is killed in between; who has asked removes both.
"""

from __future__ import annotations

import secrets
from pathlib import Path

import msgspec
from msgspec import Struct

from triplewire.client.peer.home_repository import HomeRepository
from triplewire.client.peer.own_updates import OwnTransaction, execute
from triplewire.errors import InputError
from triplewire.system.durable_files import replace_file

_SECRET = 0o600
_ASKED, _ANSWERED = ".rdftl", ".json"


class InboxAnswer(Struct, frozen=True):
    """What came of the updates; `error` says why none was begun."""

    transactions: tuple[OwnTransaction, ...] = ()
    error: str = ""


class Inbox:
    """At either end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    # Who asks

    def put(self, text: str) -> str:
        """Ask for updates; returns the key."""
        self._folder.mkdir(exist_ok=True, mode=0o700)
        key = secrets.token_hex(8)
        replace_file(self._file(key, _ASKED), text.encode(), _SECRET)
        return key

    def answer(self, key: str) -> InboxAnswer | None:
        """What came of it, if it was done."""
        try:
            return msgspec.json.decode(self._file(key, _ANSWERED).read_bytes(), type=InboxAnswer)
        except FileNotFoundError:
            return None

    def remove(self, key: str) -> None:
        """Nobody asks any more."""
        for suffix in (_ASKED, _ANSWERED):
            self._file(key, suffix).unlink(missing_ok=True)

    # Who uses the home

    def waiting(self) -> list[str]:
        """The keys of what is asked for and not answered, oldest first."""
        asked = self._folder.glob(f"*{_ASKED}")
        open_ones = [file for file in asked if not self._file(file.stem, _ANSWERED).exists()]
        return [file.stem for file in sorted(open_ones, key=_time_of)]

    def execute(self, key: str, repository: HomeRepository) -> None:
        """Do what is asked for under a key, and say what came of it."""
        self._forget_done(repository)
        try:
            text = self._file(key, _ASKED).read_bytes().decode()
        except FileNotFoundError:
            return
        except UnicodeDecodeError as problem:
            answer = InboxAnswer(error=str(problem))
        else:
            answer = _executed(repository, text, key)
        replace_file(self._file(key, _ANSWERED), msgspec.json.encode(answer), _SECRET)

    def _forget_done(self, repository: HomeRepository) -> None:
        """Of what was asked for and removed, nobody needs to know any more that it was done."""
        asked = {file.stem for file in self._folder.glob(f"*{_ASKED}")}
        repository.forget_keys(key for key in repository.keys if key.partition("/")[0] not in asked)

    def _file(self, key: str, suffix: str) -> Path:
        return self._folder / f"{key}{suffix}"


def _executed(repository: HomeRepository, text: str, key: str) -> InboxAnswer:
    try:
        return InboxAnswer(execute(repository, text, key))
    except InputError as problem:
        return InboxAnswer(error=str(problem))


def _time_of(file: Path) -> int:
    try:
        return file.stat().st_mtime_ns
    except FileNotFoundError:
        return 0
