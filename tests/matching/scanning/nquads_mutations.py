"""N-Quads as they are written, and as they should never be."""

from __future__ import annotations

from random import Random

_XSD = "http://www.w3.org/2001/XMLSchema#"
_SUBJECTS = ("<http://example.org/s>", "<urn:s:1>", "_:b0", "_:x", "<http://example.org:80/a?b=c#d>", "<urn:é>")
_PREDICATES = ("<http://example.org/p>", "<urn:p>", "<http://www.w3.org/1999/02/22-rdf-syntax-ns#type>")
_OBJECTS = (
    "<http://example.org/o>",
    "<urn:%41>",
    "_:b0",
    '"text"',
    '"longer text with, a few; words: in it"',
    '"a\\nb\\"c\\\\"',
    '"naïve 😀"',
    '""',
    '"chat"@fr',
    '"colour"@en-gb',
    f'"42"^^<{_XSD}integer>',
    f'"-0.5"^^<{_XSD}decimal>',
    f'"1e3"^^<{_XSD}double>',
    f'"2024-01-01"^^<{_XSD}date>',
    '"x"^^<urn:type>',
)

_PIECES = (
    *(bytes([byte]) for byte in b' \t\r\n.#<>"\\@^_:%{}|`[]\x00\x0b\x7f\x80\xc3\xff'),
    *(
        b"\\u0041",
        b"\\U0001F600",
        b"\\uD800",
        b"\\t",
        b"\\'",
        b"\\x",
        b"\\u00e9",
        b"%41",
        b"%4",
        b"\xc3\xa9",
        b"\xef\xbf\xbe",
    ),
    *(
        b"\xed\xa0\x80",
        b"\xc0\x80",
        b"\xef\xbb\xbf",
        b"\xee\x80\x80",
        b"\xc2\x85",
        b"\xe2\x80\xa8",
        b"\r\n",
        b" .\n",
        b" # c",
    ),
    *(b"@EN", b"@en-Latn-US", b"@en--ltr", b"@x-y", b"^^<urn:t>", b"^^<http://www.w3.org/2001/XMLSchema#string>"),
    *(
        b"<<( <urn:a> <urn:b> <urn:c> )>>",
        b"<< <urn:a> <urn:b> <urn:c> >>",
        b"_:a.b",
        b"_:a-b",
        b"_:a.",
        b"<urn:x>",
        b"<x>",
        b"//",
    ),
    *(
        b"<urn:s> <urn:p> <urn:o> .\n",
        b"<urn:s> <urn:p> <urn:o> _:g .\n",
        b"<urn:s><urn:p><urn:o><urn:g>.\n",
        b"@",
        b"\n\n",
    ),
)


def document(random: Random, lines: int) -> bytes:
    """Canonical lines, a few to an event."""
    out = []
    graph = 0
    for _ in range(lines):
        graph += random.random() < 0.3
        subject, predicate, object_ = (random.choice(terms) for terms in (_SUBJECTS, _PREDICATES, _OBJECTS))
        out.append(f"{subject} {predicate} {object_} <http://example.org/event/{graph}> .\n")
    return "".join(out).encode()


def mutated(data: bytes, random: Random, times: int) -> bytes:
    """The data with some places spoiled, or only spelled otherwise."""
    for _ in range(times):
        place = random.randrange(len(data) + 1)
        data = random.choice(_MUTATIONS)(data, place, random)
    return data


def _insert(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + random.choice(_PIECES) + data[place:]


def _insert_at_an_edge(data: bytes, place: int, random: Random) -> bytes:
    edge = max(data.find(random.choice((b" ", b'"', b">", b"\n", b".")), place), 0)
    return _insert(data, edge + random.randrange(2), random)


def _replace(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + random.choice(_PIECES) + data[place + 1 :]


def _flip(data: bytes, place: int, random: Random) -> bytes:
    flipped = bytes(byte ^ (1 << random.randrange(8)) for byte in data[place : place + 1])
    return data[:place] + flipped + data[place + 1 :]


def _cut(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + data[place + random.randrange(1, 20) :]


def _copy(data: bytes, place: int, random: Random) -> bytes:
    source = random.randrange(len(data) + 1)
    return data[:place] + data[source : source + random.randrange(1, 60)] + data[place:]


def _respell_a_letter(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] + b"".join(b"\\u%04X" % byte for byte in data[place : place + 1]) + data[place + 1 :]


def _end(data: bytes, place: int, random: Random) -> bytes:
    return data[:place] if random.random() < 0.1 else data


_MUTATIONS = (_insert, _insert_at_an_edge, _insert_at_an_edge, _replace, _flip, _cut, _copy, _respell_a_letter, _end)
