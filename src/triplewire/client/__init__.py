"""Talk to a node over HTTP: publish, subscribe, query. Nothing of the node is imported.

    asynchronous  the client for programs on an event loop: the same calls, awaited
    blocking      each call returns when the node has answered
    calls         what a client asks of a node, and what it makes of the answer: pure, and the same for both kinds of
                  client
    console       what consoles ask of a node: figures, trials of a query, matches over time: `Client.console`
    federation    rules across super-peers: `Client.federation`
    feed_poller   one poller for all readers of feeds: fetch, turn into events, hand on what is new
    feed_rdf      what an RSS 1.0 feed says as RDF, beyond what every feed has: its modules, kept as they are
    feeds         RSS 1.0, RSS 2.0 and Atom become events: the application of the G-ToPSS paper
    follower      follow a subscription over connections that break: which request comes next, and what is new in what
                  arrives
    jsap          SEPA's application profiles: queries and updates by name, with bindings that become terms
    mcp           a node for agents: a server of the Model Context Protocol
    peer          it comes and goes, and keeps what it was notified of in a directory of its own
    rules         rules, schema and RDFTL updates: what a client asks for, and what it makes of the answers
    sepa          the requests of such a profile, sent as SEPA's protocol has it
    settings      what both kinds of client share: how they introduce themselves, how long they wait, how often they
                  acknowledge
    views         what a client asks of views, and what it makes of what they say

>>> from triplewire.client import Client
>>> with Client("http://127.0.0.1:8080") as node:                       # doctest: +SKIP
...     for notification in node.subscribe("SELECT ?s WHERE { ?s a <http://example.org/Alarm> }"):
...         print(notification.event, notification.solutions)
"""

from triplewire.client.calls import EVENTS, DeadLetter, LogPage, Registration, SubscriptionStatus, Verdict
from triplewire.client.follower import Notification, NotificationPage
from triplewire.client.rules import KeptFiring, RuleStatus, UpdateOutcome
from triplewire.client.views import ViewNotification, ViewPage
from triplewire.extras import needing
from triplewire.wire.answers import ChangePage, ChangeReceipt, Receipt, ViewExplanation, ViewStatus
from triplewire.wire.network_rules import (
    NetworkPrivileges,
    NetworkRule,
    NetworkTrace,
    NetworkTransaction,
    RuleRelevance,
)
from triplewire.wire.reasons import AnswerReasons, ExplainedAnswer, Reason
from triplewire.wire.schedules import TracedSchedule, TracedUnit
from triplewire.wire.signatures import verify

with needing():
    from triplewire.client.asynchronous import AsyncClient
    from triplewire.client.blocking import Client

__all__ = [
    "EVENTS",
    "AnswerReasons",
    "AsyncClient",
    "ChangePage",
    "ChangeReceipt",
    "Client",
    "DeadLetter",
    "ExplainedAnswer",
    "KeptFiring",
    "LogPage",
    "NetworkPrivileges",
    "NetworkRule",
    "NetworkTrace",
    "NetworkTransaction",
    "Notification",
    "NotificationPage",
    "Reason",
    "Receipt",
    "Registration",
    "RuleRelevance",
    "RuleStatus",
    "SubscriptionStatus",
    "TracedSchedule",
    "TracedUnit",
    "UpdateOutcome",
    "Verdict",
    "ViewExplanation",
    "ViewNotification",
    "ViewPage",
    "ViewStatus",
    "verify",
]
