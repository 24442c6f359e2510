"""Talk to a node over HTTP: publish, subscribe, query. Nothing of the node is imported.

blocking      `Client`, for ordinary programs
asynchronous  `AsyncClient`, for programs on an event loop
calls         what is asked, and what is made of the answer
following     a subscription over connections that break
settings      what both kinds share
feeds         RSS and Atom as events; feed_rdf keeps the modules of RSS 1.0

>>> from triplewire.client import Client
>>> with Client("http://127.0.0.1:8080") as node:                       # doctest: +SKIP
...     for notification in node.subscribe("SELECT ?s WHERE { ?s a <http://example.org/Alarm> }"):
...         print(notification.event, notification.solutions)
"""

from triplewire.client.calls import DeadLetter, LogPage, Receipt, Registration, SubscriptionStatus, Verdict
from triplewire.client.following import Notification
from triplewire.extras import needing
from triplewire.wire.signatures import verify

with needing():
    from triplewire.client.asynchronous import AsyncClient
    from triplewire.client.blocking import Client

__all__ = [
    "AsyncClient",
    "Client",
    "DeadLetter",
    "LogPage",
    "Notification",
    "Receipt",
    "Registration",
    "SubscriptionStatus",
    "Verdict",
    "verify",
]
