"""Prints what is done, and what the node says about it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from rich.text import Text

from triplewire.cli.demo.happenings import Happening
from triplewire.cli.demo.showcase import subscriptions, views
from triplewire.cli.screen import output, plain, printable
from triplewire.errors import MissedNotifications, NodeRefused, NodeUnreachable
from triplewire.rdf.solutions import Solutions
from triplewire.rdf.terms import Term, Triple

if TYPE_CHECKING:
    from triplewire.client import Client, Notification, ViewNotification

_NAME_WIDTH = 16
Connect = Callable[[], "Client"]


class Narrator:
    """Follows everything that stands at a node, each on a thread of its own, until `end`."""

    def __init__(self, connect: Connect) -> None:
        self._connect = connect
        self._lock = threading.Lock()
        self._has_ended = threading.Event()

    def start(self) -> None:
        for one in subscriptions():
            self._begin(one.name, partial(_alerts, one.name))
        for one in views():
            self._begin(one.name, partial(_differences, one.name))

    def end(self) -> None:
        """Nothing more is printed: the node is about to go."""
        with self._lock:
            self._has_ended.set()

    def tell(self, happening: Happening) -> None:
        self._print(plain(happening.said, "bold"))

    def _begin(self, name: str, follow: Callable[[Client], Iterator[Text]]) -> None:
        threading.Thread(target=self._listen, args=(name, follow), daemon=True).start()

    def _listen(self, name: str, follow: Callable[[Client], Iterator[Text]]) -> None:
        try:
            with self._connect() as client:
                for said in follow(client):
                    self._print(Text.assemble((f"    {name:<{_NAME_WIDTH}}", "dim"), said))
        except (NodeRefused, NodeUnreachable, MissedNotifications) as problem:
            self._print(plain(f"    {name}: {problem}", "red"))

    def _print(self, text: Text) -> None:
        with self._lock:
            if not self._has_ended.is_set():
                console = output()
                console.print(text, soft_wrap=True)
                console.file.flush()


def _alerts(name: str, client: Client) -> Iterator[Text]:
    return map(alert, client.follow(name))


def _differences(name: str, client: Client) -> Iterator[Text]:
    return map(difference, client.follow_view(name))


def alert(notification: Notification) -> Text:
    """What a subscription says."""
    return Text("alert: " + rows(notification.solutions), style="yellow")


def difference(notification: ViewNotification) -> Text:
    """What a view says: its whole answer first, then what came and went."""
    if notification.failed is not None:
        return plain(notification.failed, "red")
    if notification.is_first:
        return Text("at first: " + (rows(notification.answer) or "(nothing)"))
    parts = [("+ " + rows(notification.added) + " ", "green")] if notification.added else []
    parts += [("− " + rows(notification.removed), "red")] if notification.removed else []
    return Text.assemble(*parts)


def rows(said: object) -> str:
    """Solutions, with the last part of each name."""
    if not isinstance(said, Solutions):
        return str(said)
    return ", ".join(f"({' '.join(_short(term) for term in row.values())})" for row in said)


def _short(term: Term) -> str:
    text = str(term) if isinstance(term, Triple) else term.value
    return printable(text.rpartition("/")[2])
