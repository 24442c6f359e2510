"""Server-sent events, as the HTML standard frames them (section 9.2.6), both ways.

A frame counts once its empty line has arrived: what a cut connection leaves behind is thrown away, so the last id
seen is always that of a whole frame, and a reader that goes on after it misses nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from triplewire.errors import LimitExceeded

MAX_FRAME_BYTES = 64 * 1024 * 1024
HEARTBEAT = b": still here\n\n"


class Frame(Struct, frozen=True):
    """One event of a stream. `id` is the last id that was named, by this frame or by an earlier one."""

    data: str
    kind: str = "message"
    id: str = ""


def frame_bytes(data: bytes, *, kind: str, id: str) -> bytes:  # noqa: A002  the standard's word
    r"""One frame. `data` is a single line, such as JSON without white space.

    >>> frame_bytes(b'{"n":1}', kind="notification", id="7")
    b'id: 7\nevent: notification\ndata: {"n":1}\n\n'
    """
    return b"id: %b\nevent: %b\ndata: %b\n\n" % (id.encode(), kind.encode(), data)


def retry_bytes(milliseconds: int) -> bytes:
    """How long a reader should wait before it connects again."""
    return b"retry: %d\n\n" % milliseconds


class FrameReader:
    r"""Bytes in, whole frames out, however the bytes are cut.

    >>> reader = FrameReader()
    >>> list(reader.feed(b"id: 1\ndata: a\n\nid: 2\nda")), reader.last_id
    ([Frame(data='a', kind='message', id='1')], '1')
    >>> list(reader.feed(b"ta: b\n\n"))
    [Frame(data='b', kind='message', id='2')]
    """

    def __init__(self, max_frame_bytes: int = MAX_FRAME_BYTES) -> None:
        self.last_id = ""
        self._limit = max_frame_bytes
        self._line = bytearray()
        self._after_cr = False
        self._begun = False
        self._data: list[bytes] = []
        self._size = 0
        self._kind = b""
        self._id: bytes | None = None

    def feed(self, received: bytes) -> Iterator[Frame]:
        """The frames that these bytes complete."""
        for line in self._lines(received):
            if line:
                self._take(line)
            else:
                yield from self._dispatch()

    def _lines(self, received: bytes) -> Iterator[bytes]:
        """Whole lines; they end in LF, CR or CRLF, and the two bytes of CRLF may arrive apart."""
        if self._after_cr and received:
            self._after_cr = False
            received = received.removeprefix(b"\n")
        self._line += received
        if not received or (b"\n" not in received and b"\r" not in received):
            self._check_size()
            return
        self._after_cr = received.endswith(b"\r")
        *whole, rest = bytes(self._line).replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._line = bytearray(rest)
        yield from whole

    def _take(self, line: bytes) -> None:
        if not self._begun:
            self._begun = True
            line = line.removeprefix(b"\xef\xbb\xbf")
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value)
            self._check_size()
        elif name == b"event":
            self._kind = value
        elif name == b"id" and b"\0" not in value:
            self._id = value

    def _check_size(self) -> None:
        size = self._size + len(self._line)
        if size > self._limit:
            raise LimitExceeded(
                "frame_bytes",
                self._limit,
                wanted=f"frames of at most {self._limit:,} bytes",
                found=f"one of {size:,} or more",
            )

    def _dispatch(self) -> Iterator[Frame]:
        if self._id is not None:
            self.last_id = _text(self._id)
        data, kind = self._data, self._kind
        self._forget()
        if data:
            yield Frame(_text(b"\n".join(data)), _text(kind) or "message", self.last_id)

    def _forget(self) -> None:
        self._data = []
        self._size = 0
        self._kind = b""
        self._id = None


def _text(value: bytes) -> str:
    return value.decode("utf-8", errors="replace")
