"""The workload `library`: a digital library's feed of papers, with subscriptions in the three languages."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.rdf.terms import RDF, RDFS, XSD, Namespace
from triplewire.testing.workloads.workload import EX, INTEGER, Row, Workload, chunks, stream

DC = Namespace("http://purl.org/dc/elements/1.1/")
_TYPE = RDF["type"]
_KINDS = ("JournalArticle", "ConferencePaper", "TechnicalReport", "Thesis")
_PARENTS = (("JournalArticle", "Article"), ("ConferencePaper", "Article"), ("TechnicalReport", "Report"))
_ABOVE = (("Article", "Publication"), ("Report", "Publication"), ("Thesis", "Publication"))
_TOPICS = ("query", "stream", "graph", "index", "peer", "schema", "logic", "event", "cloud", "rule", "join", "cache")
_WORDS = ("Matching", "Fast", "Semantic", "Distributed", "Adaptive", "Scalable", "Incremental", "Continuous")
_FIRST_YEAR, _YEARS = 1990, 36
_KINDS_OF_SUBSCRIPTION = 4
_SPAN = 9
_AUTHORS_OF_A_PAPER = 2


def library(subscriptions: int, events: int, seed: int = 0, matches_per_event: float = 1.0) -> Workload:
    """Papers with one to three authors, a title, a topic, a year and a date.

    The subscriptions of each sort, in turn: an author since a year (formula), an author under a class (graph), a word
    of the title and a range of dates (SPARQL), a topic beside an author (SPARQL). The number of authors follows from
    the number of matches that an event is meant to have.
    """
    authors = max(4, round(subscriptions * _AUTHORS_OF_A_PAPER * _share() / matches_per_event))
    return Workload(
        "library",
        lambda: _rows(subscriptions, seed, authors),
        lambda: _payloads(events, seed, authors),
        _taxonomy(),
    )


def _share() -> float:
    """How likely a subscription matches a paper of its author: the mean over the four sorts."""
    since, after = (_YEARS + 1) / (2 * _YEARS), (_YEARS - 1) / (2 * _YEARS)
    # Half of the graph patterns want a Publication, which every paper is, half an Article, which every second one is.
    under_a_class = 0.75
    within = sum(min(_SPAN, _YEARS - start) for start in range(_YEARS)) / _YEARS**2
    topic = 1 / len(_TOPICS)
    return (since + after * under_a_class + topic * within + topic) / _KINDS_OF_SUBSCRIPTION


def _taxonomy() -> str:
    return "\n".join(f"{EX[low]} {RDFS['subClassOf']} {EX[high]} ." for low, high in (*_PARENTS, *_ABOVE))


def _rows(total: int, seed: int, authors: int) -> Iterator[Row]:
    random = stream(seed, "library subscriptions")
    for numbers in chunks(total):
        who = random.integers(0, authors, len(numbers)).tolist()
        year = random.integers(_FIRST_YEAR, _FIRST_YEAR + _YEARS, len(numbers)).tolist()
        topic = random.integers(0, len(_TOPICS), len(numbers)).tolist()
        for place, i in enumerate(numbers):
            yield _row(i, f"Author {who[place]}.", year[place], _TOPICS[topic[place]])


def _row(number: int, author: str, year: int, topic: str) -> Row:
    kind = number % _KINDS_OF_SUBSCRIPTION
    if kind == 0:
        text = f't(X, <dc:creator>, Y) ^ t(X, {EX["year"]}, D) ^ Y contains "{author}" ^ D >= {year}'
        return Row(f"s{number}", "formula", f"X: {text}")
    if kind == 1:
        node = f"?x(<= {EX['Publication' if year % 2 else 'Article']})"
        return Row(f"s{number}", "graph", f'{node} {DC["creator"]} "{author}"\n?x {EX["year"]} ?d(> {year})')
    if kind == 2:
        dates = f'?d >= "{year}-01-01"^^{XSD["date"]} && ?d < "{year + _SPAN}-01-01"^^{XSD["date"]}'
        test = f'CONTAINS(?t, "{topic}") && STRSTARTS(?a, "{author}") && {dates}'
        where = f"?x {DC['title']} ?t . ?x {DC['creator']} ?a . ?x {DC['date']} ?d FILTER({test})"
        return Row(f"s{number}", "sparql", f"SELECT ?x ?t WHERE {{ {where} }}")
    where = f'?x {DC["subject"]} "{topic}" . ?x {DC["creator"]} "{author}" OPTIONAL {{ ?x {DC["title"]} ?t }}'
    return Row(f"s{number}", "sparql", f"SELECT ?x ?t WHERE {{ {where} }}")


def _payloads(total: int, seed: int, authors: int) -> Iterator[bytes]:
    random = stream(seed, "library events")
    for numbers in chunks(total):
        who = random.integers(0, authors, (len(numbers), 3)).tolist()
        facts = random.integers(0, 1 << 30, (len(numbers), 6)).tolist()
        for i, names, (how_many, year, month, day, topic, word) in zip(numbers, who, facts, strict=True):
            date = (_FIRST_YEAR + year % _YEARS, month % 12 + 1, day % 28 + 1)
            yield _paper(i, names[: how_many % 3 + 1], date, topic, word)


def _paper(number: int, names: list[int], date: tuple[int, int, int], topic: int, word: int) -> bytes:
    subject, graph = EX[f"paper/{number}"], EX[f"event/{number}"]
    subject_word = _TOPICS[topic % len(_TOPICS)]
    year, month, day = date
    rows = [
        f"{_TYPE} {EX[_KINDS[number % len(_KINDS)]]}",
        f'{DC["title"]} "{_WORDS[word % len(_WORDS)]} {subject_word} processing, part {word % 97}"',
        f'{DC["subject"]} "{subject_word}"',
        f'{DC["date"]} "{year}-{month:02}-{day:02}"^^{XSD["date"]}',
        f'{EX["year"]} "{year}"^^{INTEGER}',
        *(f'{DC["creator"]} "Author {name}."' for name in dict.fromkeys(names)),
    ]
    return "".join(f"{subject} {row} {graph} .\n" for row in rows).encode()
