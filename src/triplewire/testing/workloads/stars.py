"""Subscriptions around one subject: constants, ranges and open properties, written in any of the three languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from triplewire.errors import UnknownFormat
from triplewire.testing.workloads.workload import INTEGER, Row


class Star(Struct):
    """What is asked of one subject. IRIs are written with their brackets.

    `constants` are (predicate, object); `ranges` are (predicate, least, first too large); `open` are predicates that
    may have any object.
    """

    constants: Sequence[tuple[str, str]] = ()
    ranges: Sequence[tuple[str, int, int]] = ()
    open: Sequence[str] = ()


def row(number: int, star: Star, languages: Sequence[str]) -> Row:
    """The subscription of that number; the languages take turns."""
    language = languages[number % len(languages)]
    return Row(f"s{number}", language, written(star, language))


def written(star: Star, language: str) -> str:
    """The star as text.

    >>> star = Star([("<urn:c>", "<urn:v>")], [("<urn:n>", 3, 5)])
    >>> written(star, "sparql")
    'SELECT ?s WHERE { ?s <urn:c> <urn:v> . ?s <urn:n> ?n0 FILTER(?n0 >= 3 && ?n0 < 5) }'
    >>> written(star, "formula")
    'S: t(S, <urn:c>, <urn:v>) ^ t(S, <urn:n>, N0) ^ N0 >= 3 ^ N0 < 5'
    >>> print(written(star, "graph"))
    ?s <urn:c> <urn:v>
    ?s <urn:n> ?n0(>= 3, < 5)
    """
    if language not in _WRITERS:
        raise UnknownFormat(wanted=f"a subscription language, one of {', '.join(_WRITERS)}", found=repr(language))
    return _WRITERS[language](star)


def _sparql(star: Star) -> str:
    patterns = [f"?s {p} {o}" for p, o in star.constants]
    patterns += [f"?s {p} ?n{i}" for i, (p, _, _) in enumerate(star.ranges)]
    patterns += [f"?s {p} ?o{i}" for i, p in enumerate(star.open)]
    tests = " && ".join(f"?n{i} >= {low} && ?n{i} < {high}" for i, (_, low, high) in enumerate(star.ranges))
    return f"SELECT ?s WHERE {{ {' . '.join(patterns)}{f' FILTER({tests})' if tests else ''} }}"


def _formula(star: Star) -> str:
    parts = [f"t(S, {p}, {o})" for p, o in star.constants]
    parts += [f"t(S, {p}, N{i})" for i, (p, _, _) in enumerate(star.ranges)]
    parts += [f"t(S, {p}, O{i})" for i, p in enumerate(star.open)]
    parts += [f"N{i} >= {low} ^ N{i} < {high}" for i, (_, low, high) in enumerate(star.ranges)]
    return f"S: {' ^ '.join(parts)}"


def _graph(star: Star) -> str:
    edges = [f"?s {p} {o}" for p, o in star.constants]
    edges += [f"?s {p} ?n{i}(>= {low}, < {high})" for i, (p, low, high) in enumerate(star.ranges)]
    edges += [f"?s {p} ?o{i}" for i, p in enumerate(star.open)]
    return "\n".join(edges)


_WRITERS: dict[str, Callable[[Star], str]] = {"sparql": _sparql, "formula": _formula, "graph": _graph}


def quads(graph: str, subject: str, categories: Sequence[tuple[str, str]], numbers: Sequence[tuple[str, int]]) -> bytes:
    """One event around one subject."""
    lines = [f"{subject} {p} {o} {graph} .\n" for p, o in categories]
    lines += [f'{subject} {p} "{n}"^^{INTEGER} {graph} .\n' for p, n in numbers]
    return "".join(lines).encode()
