"""A peer of the network: it comes and goes, and keeps what it was notified of in a directory of its own.

program     `PeerProgram`: the state machine of `network.sessions.peer` on an event loop
connecting  its connections, over ZeroMQ with CURVE
waiting     for answers
saving      notifications, many at a time
folder      its home: key, state, notifications, resources, rendezvous files

>>> from triplewire.client.peer import Folder, PeerProgram
>>> async def listen(path):                                             # doctest: +SKIP
...     async with PeerProgram(Folder(path)) as peer:
...         await peer.subscribe("alarms", "sparql", "SELECT ?s WHERE { ?s a <http://example.org/Alarm> }")
...         async for notification in peer.notifications():
...             print(notification.event, notification.publisher)
"""

from triplewire.client.peer.folder import Folder, Gap, Saved
from triplewire.client.peer.program import PeerProgram

__all__ = ["Folder", "Gap", "PeerProgram", "Saved"]
