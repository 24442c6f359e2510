"""A peer of the network: it comes and goes, and keeps what it was notified of in a directory of its own.

    connections          a peer's connections, over ZeroMQ with CURVE: one socket for each line
    folder               the home of a peer
    notification_writer  notifications go to the disk many at a time, beside the event loop, in the order in which
                         they came
    program              a peer's program on an event loop: it drives the pure `Peer`, and keeps what comes in its
                         folder
    waits                for an answer, or until something is so; but not for ever, and not after the disk has failed

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
