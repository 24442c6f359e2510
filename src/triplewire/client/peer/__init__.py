"""A peer of the network: it comes and goes, and keeps what it was notified of in a directory of its own.

    folder               the home of a peer: keys, state, notifications, resources, rendezvous files
    home_repository      its repository: what it has asserted, and what it has told its super-peer
    inbox                updates for the program that uses the home, from others on the same machine
    notification_writer  writes notifications to the disk, many at a time, in order
    own_updates          updates that the owner of a home asks for
    pending_answers      answers that calls wait for, with a timeout
    program              `PeerProgram`: runs the state machine of `network.sessions.peer` on an event loop
    record_file          records in SQLite, with one digest: the form of the repository on disk
    rules                takes part in rules across super-peers: joins, answers, reports
    stream_records       the stream of a repository to its super-peer, as records
    sockets              ZeroMQ sockets with CURVE, one for each connection

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
