"""The client for ordinary programs: each call returns when the node has answered."""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from typing import Any, Self

import httpx

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.client import calls, rules, views
from triplewire.client.calls import Call, DeadLetter, LogPage, RdfLike, Registration, SubscriptionStatus, Verdict
from triplewire.client.console import Console
from triplewire.client.federation.blocking import Federation
from triplewire.client.follower import Follower, Following, Gap, Notification, NotificationPage, T, notification_page
from triplewire.client.rules import KeptFiring, RuleStatus, UpdateOutcome
from triplewire.client.settings import STREAM_TIMEOUT, acknowledged_every, headers_of
from triplewire.client.views import ViewFollower, ViewNotification, ViewPage
from triplewire.errors import MissedNotifications, NodeRefused, NodeUnreachable
from triplewire.rdf.coercion import EventLike
from triplewire.rdf.limits import Limits
from triplewire.rdf.solutions import Solutions, Triples
from triplewire.wire.answers import ChangePage, ChangeReceipt, Receipt, ViewExplanation, ViewStatus
from triplewire.wire.networks import NetworkView
from triplewire.wire.reasons import ExplainedAnswer
from triplewire.wire.schedules import TracedSchedule
from triplewire.wire.spaces import SpaceDeparture, SpaceView


class Client:
    """A node, as seen by one of its clients. Use it as a context manager, or `close` it."""

    def __init__(self, url: str = "http://127.0.0.1:8080", secret: str | None = None, *, timeout: float = 30.0) -> None:
        self.url = url
        self.federation = Federation(self._call)
        self.console = Console(self._call)
        self._timeout = timeout
        self._http = httpx.Client(base_url=url, headers=headers_of(secret), timeout=timeout, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def publish(
        self,
        events: EventLike | Iterable[EventLike],
        format: str | None = None,  # noqa: A002  the public name
        *,
        idempotency_key: str | None = None,
        base: str | None = None,
        merge: bool | None = None,
    ) -> list[Receipt]:
        """Publish events, rdflib graphs, a file, or RDF as text or bytes. Returns when all is on the node's disk.

        Text and bytes are N-Quads unless a `format` is named. Relative IRIs count from `base`, or else from the file's
        URL, or else from the URL at which the node takes events. With `merge`, the living graph has each event as its
        graph; by default a setting of the node decides.
        """
        return calls.receipts(self._call(calls.publish(events, format, idempotency_key, base, merge)))

    def read_log(self, after: int = 0, limit: int = 1_000) -> LogPage:
        """What follows a position in the log, as far as this client may read it."""
        response = self._answer(calls.read_log(after, limit))
        return calls.log_page(response.content, response.headers)

    def node_id(self) -> str:
        """Which node this is, whatever its address."""
        return calls.node_id(self._call(calls.HEALTH))

    def limits(self) -> Limits:
        """How large an event and a request may be for this node: read documents with them before publishing."""
        return calls.limits(self._call(calls.HEALTH))

    def subscribe(
        self,
        query: str,
        *,
        name: str | None = None,
        language: str = "sparql",
        start: str | int = "now",
        payload: str = "solutions",
        why: bool = False,
    ) -> Iterator[Notification]:
        """Leave a standing query and follow it, for ever. A query that is there already goes on where it was.

        `start` is "now", "beginning" or a position; with `why`, each notification says what its solutions stand on.
        The query is there before the first item is asked for.
        """
        made = self.put_subscription(query, name=name, language=language, start=start, payload=payload, why=why)
        return self.follow(made.name)

    def put_subscription(
        self,
        query: str,
        *,
        name: str | None = None,
        language: str = "sparql",
        start: str | int = "now",
        payload: str = "solutions",
        why: bool = False,
    ) -> SubscriptionStatus:
        """Leave a standing query, without following it. `start` counts only where the subscription is new."""
        name = name or calls.subscription_name(query, language)
        response = self._answer(calls.subscribe(name, query, language, start, payload, why=why))
        return calls.subscription_status(response.content, is_new=response.status_code == httpx.codes.CREATED)

    def subscriptions(self) -> list[SubscriptionStatus]:
        """This client's subscriptions; an administrator's are everybody's."""
        return calls.subscription_statuses(self._call(calls.SUBSCRIPTIONS))

    def subscription(self, name: str) -> SubscriptionStatus:
        """One subscription, and how it stands."""
        return calls.subscription_status(self._call(calls.subscription(name)))

    def reset(self, name: str, start: str | int = "now") -> SubscriptionStatus:
        """Begin a subscription again, after "now", the "beginning" or a position; what waits for it is dropped."""
        return calls.subscription_status(self._call(calls.reset(name, start)))

    def explain(self, query: str, *, language: str = "sparql", event: str | None = None) -> Verdict:
        """How the node matches a query; with the IRI of an event that it keeps, whether that matches, and why."""
        return calls.verdict(self._call(calls.explain(query, language, event)))

    def follow(self, name: str, *, after: int | None = None) -> Iterator[Notification]:
        """The notifications of a subscription, each once, over as many connections as it takes.

        A notification is acknowledged after the next one was asked for. `MissedNotifications` tells that retention
        removed some; follow again, `after` its `until`, to go on.
        """
        return self._followed(calls.subscription_path(name), Follower(after))

    def _followed(self, path: str, follower: Following[T]) -> Iterator[T]:
        pending = acknowledged_every()
        for item in self._items(path, follower):
            if isinstance(item, Gap):
                raise MissedNotifications(item.after, item.until)
            yield item
            if pending.is_due():
                self._acknowledge_if_possible(path, item.position)

    def _items(self, path: str, follower: Following[T]) -> Iterator[T | Gap]:
        while True:
            try:
                for data in self._received(path, follower):
                    yield from follower.received(data)
            except NodeRefused as problem:
                if not problem.is_retryable:
                    raise
            except httpx.TransportError:
                pass  # lost connections are what this loop is for
            time.sleep(follower.lost(random.random()))

    def _received(self, path: str, follower: Following[T]) -> Iterator[bytes]:
        request = self._http.build_request(
            "GET", calls.stream_path(path), headers=follower.headers(), timeout=STREAM_TIMEOUT
        )
        response = self._http.send(request, stream=True)
        try:
            if not response.is_success:
                calls.check(response.status_code, response.reason_phrase, response.read())
            yield from response.iter_raw()
        finally:
            response.close()

    def read_subscription(
        self, name: str, after: int | None = None, limit: int = 100, *, wait: float = 0.0
    ) -> NotificationPage:
        """What a subscription has found after a position, None being what was acknowledged; waits for the first."""
        return notification_page(self._call(calls.read_subscription(name, after, limit, wait)))

    def acknowledge(self, name: str, position: int) -> None:
        """Tell that everything up to a position has arrived."""
        self._call(calls.acknowledge(calls.subscription_path(name), position))

    def _acknowledge_if_possible(self, path: str, position: int) -> None:
        """While a node is away the stream goes on later, and so does acknowledging: the next one covers this one."""
        try:
            self._call(calls.acknowledge(path, position))
        except NodeUnreachable:
            return
        except NodeRefused as problem:
            if not problem.is_retryable:
                raise

    def unsubscribe(self, name: str) -> None:
        self._call(calls.unsubscribe(name))

    def advertise(self, name: str, advertisement: Advertisement | str, *, lasts: float | None = None) -> None:
        """Tell what this client will publish, so that subscriptions at other super-peers find their way here.

        An advertisement, or one or more in Turtle. It counts until it is withdrawn, or for so many seconds.
        """
        rdf = advertisement if isinstance(advertisement, str) else advertisement.to_turtle()
        self._call(calls.advertise(name, rdf, lasts))

    def withdraw(self, name: str) -> None:
        """Advertise that no more."""
        self._call(calls.withdraw(name))

    def network(self, limit: int = 200) -> NetworkView:
        """The network of super-peers as this node sees it; for administrators."""
        return calls.network_view(self._call(calls.network(limit)))

    def space(self) -> SpaceView:
        """The event space that this node is in; for administrators."""
        return calls.space_view(self._call(calls.SPACE))

    def leave_space(self) -> SpaceDeparture:
        """Have this node leave its event space for good, or see how far that is; for administrators."""
        return calls.space_departure(self._call(calls.LEAVE_SPACE))

    def query(self, text: str, *, over: str = calls.LIVING) -> Solutions | bool | Triples:
        """Ask the living graph: rows of a SELECT, yes or no of an ASK, triples of a CONSTRUCT or DESCRIBE.

        `over=EVENTS` asks every event that the node keeps instead.
        """
        response = self._answer(calls.query(text, calls.QUERY_ANSWERS, over))
        return calls.query_answer(response.content, response.headers.get("content-type", ""))

    def query_document(self, text: str, accept: str = calls.RESULTS, *, over: str = calls.LIVING) -> bytes:
        """The same, as a document in the media type asked for."""
        return self._call(calls.query(text, accept, over))

    def update(self, text: str, *, idempotency_key: str | None = None) -> ChangeReceipt:
        """Execute a SPARQL Update request on the living graph: all of it, as one change, or nothing."""
        return calls.change_receipt(self._call(calls.update(text, idempotency_key)))

    def graph(self, name: str | None = None) -> Triples:
        """The triples of a named graph, or of the default one."""
        return calls.triples(self._call(calls.read_graph(name, calls.TRIPLES)))

    def graph_document(self, name: str | None = None, accept: str = "text/turtle") -> bytes:
        """The same, as a document in the media type asked for."""
        return self._call(calls.read_graph(name, accept))

    def put_graph(
        self,
        name: str | None,
        rdf: RdfLike,
        format: str | None = None,  # noqa: A002  the public name
        *,
        idempotency_key: str | None = None,
    ) -> ChangeReceipt:
        """Give a graph, None being the default one, the content of a document: a file, or text, Turtle by default."""
        return calls.change_receipt(self._call(calls.write_graph("PUT", name, rdf, format, idempotency_key)))

    def add_to_graph(
        self,
        name: str | None,
        rdf: RdfLike,
        format: str | None = None,  # noqa: A002  the public name
        *,
        idempotency_key: str | None = None,
    ) -> ChangeReceipt:
        """Add the triples of a document to a graph."""
        return calls.change_receipt(self._call(calls.write_graph("POST", name, rdf, format, idempotency_key)))

    def delete_graph(self, name: str | None, *, idempotency_key: str | None = None) -> ChangeReceipt:
        """Remove a graph; the default one, None, becomes empty."""
        return calls.change_receipt(self._call(calls.delete_graph(name, idempotency_key)))

    def patch(self, rdf_patch: str | bytes, *, idempotency_key: str | None = None) -> ChangeReceipt:
        """Apply an RDF Patch to the living graph, as one change."""
        return calls.change_receipt(self._call(calls.patch(rdf_patch, idempotency_key)))

    def changes(self, after: int = 0, limit: int = 100, *, wait: float = 0.0) -> ChangePage:
        """Changes of the living graph that follow a position; waits so many seconds for the first one."""
        return calls.change_page(self._call(calls.changes(after, limit, wait, calls.JSON)))

    def changes_document(self, after: int = 0, limit: int = 100, *, wait: float = 0.0) -> bytes:
        """The same as RDF Patch."""
        return self._call(calls.changes(after, limit, wait, calls.PATCH))

    def put_rule(self, name: str, text: str, *, listens_to_events: bool = False) -> RuleStatus:
        """Register an RDFTL rule, or replace one's own of that name; with what the analysis says of it.

        With `listens_to_events`, published events trigger it as well.
        """
        response = self._answer(rules.put(name, text, listens_to_events=listens_to_events))
        return rules.status(response.content, is_new=response.status_code == httpx.codes.CREATED)

    def rules(self) -> list[RuleStatus]:
        """This client's rules; an administrator's are everybody's."""
        return rules.statuses(self._call(rules.RULES))

    def rule(self, name: str) -> RuleStatus:
        """One rule."""
        return rules.status(self._call(rules.get(name)))

    def delete_rule(self, name: str) -> None:
        """Forget a rule and its firings. What it has done stays."""
        self._call(rules.delete(name))

    def firings(self, rule: str, after: int = 0, limit: int = 100) -> list[KeptFiring]:
        """What a rule has done, oldest first, after the firing of that number."""
        return rules.kept_firings(self._call(rules.firings(rule, after, limit)))

    def update_rdftl(self, text: str, *, idempotency_key: str | None = None) -> UpdateOutcome:
        """Execute RDFTL updates, and the rules that they trigger.

        A transaction that aborts is in the outcome; if all do and nothing has changed, `NodeRefused` has the reason.
        """
        return rules.outcome(self._call(rules.update(text, idempotency_key)))

    def withdraw_update(self, idempotency_key: str) -> str:
        """Withdraw an update of any language that has not ended: whether it was "waiting" or "executing".

        Nothing of it is kept, and whoever waits for it gets `NodeRefused`. So do you, if it has ended.
        """
        return rules.withdrawn(self._call(rules.withdraw(idempotency_key)))

    def trace(self, schedule: int | str) -> TracedSchedule:
        """How a schedule went, by its position in the journal, or the last one with a transaction of that name."""
        return rules.traced(self._call(rules.trace(schedule)))

    def schema(self) -> Triples:
        """The schema that the default graph conforms to; empty, if it need not."""
        return calls.triples(self._call(rules.SCHEMA))

    def put_schema(self, rdf: RdfLike, format: str | None = None) -> None:  # noqa: A002  the public name
        """Use another schema: a file, or text, Turtle by default; for administrators."""
        self._call(rules.put_schema(*calls.document(rdf, format)))

    def put_view(
        self,
        name: str,
        query: str,
        *,
        window: float | None = None,
        retention: float | None = None,
        why: bool = False,
    ) -> ViewStatus:
        """Keep a view: any query over the living graph. The same query again only changes its options.

        `window` joins what changes within so many seconds into one notification; `retention` is how many seconds an
        unread one is kept. With `why`, it says what each item of what it tells stands on.
        """
        return views.status(self._call(views.put(name, query, window, retention, why=why)))

    def views(self) -> list[ViewStatus]:
        """This client's views; an administrator's are everybody's."""
        return views.statuses(self._call(views.VIEWS))

    def view(self, name: str) -> ViewStatus:
        """One view, and how it stands."""
        return views.status(self._call(views.get(name)))

    def follow_view(self, name: str, *, after: int | None = None) -> Iterator[ViewNotification]:
        """What a view says, each once: its whole answer, then what each change did to it. Acknowledges like `follow`.

        `MissedNotifications` tells that retention removed some, so that what follows does not make up the answer:
        `reset_view` begins again with the whole of it.
        """
        return self._followed(views.path_of(name), ViewFollower(after))

    def read_view(self, name: str, after: int | None = None, limit: int = 100, *, wait: float = 0.0) -> ViewPage:
        """What a view says after a position, None being what was acknowledged; waits so many seconds for the first."""
        return views.page(self._call(views.read(name, after, limit, wait)))

    def acknowledge_view(self, name: str, position: int) -> None:
        """Tell that everything up to a position has arrived."""
        self._call(calls.acknowledge(views.path_of(name), position))

    def reset_view(self, name: str) -> ViewStatus:
        """Begin a view again with its whole answer; what waits for it is dropped."""
        return views.status(self._call(views.reset(name)))

    def explain_view(self, name: str) -> ViewExplanation:
        """How a view is kept up to date."""
        return views.explanation(self._call(views.explain(name)))

    def explain_answer(self, query: str) -> ExplainedAnswer:
        """The answer to a query over the living graph as it is now, and what each item of it stands on."""
        return calls.explained_answer(self._call(calls.explain_answer(query)))

    def explain_view_answer(self, name: str) -> ExplainedAnswer:
        """The same for a view."""
        return calls.explained_answer(self._call(calls.explain_view(name)))

    def delete_view(self, name: str) -> None:
        """Forget a view and everything that waits for it."""
        self._call(views.delete(name))

    def register(self, name: str) -> Registration:
        """Make a new client; for administrators."""
        return calls.registration(self._call(calls.register(name)))

    def clients(self) -> list[dict[str, Any]]:
        """Every client; for administrators."""
        return calls.clients(self._call(calls.CLIENTS))

    def dead_letters(self) -> Iterator[DeadLetter]:
        """Notifications that were given up, oldest first."""
        after: int | None = 0
        while after is not None:
            page, after = calls.letters(self._call(calls.dead_letters(after)))
            yield from page

    def send_again(self, letter_id: int) -> None:
        """Send a dead letter again, now."""
        self._call(calls.send_again(letter_id))

    def _call(self, call: Call) -> bytes:
        return self._answer(call).content

    def _answer(self, call: Call) -> httpx.Response:
        try:
            response = self._http.request(
                call.method,
                call.path,
                params=call.params,
                headers=call.headers,
                content=call.content,
                timeout=self._timeout + call.seconds,
            )
        except (httpx.TransportError, httpx.InvalidURL) as error:
            raise calls.unreachable(self.url, error) from None
        calls.check(response.status_code, response.reason_phrase, response.content)
        return response
