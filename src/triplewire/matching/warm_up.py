"""Run everything once, on very little, so that every kernel is compiled and kept on disk for the runs to come.

numba keeps machine code beside the source, or, where that folder cannot be written, in the user's own cache folder;
`NUMBA_CACHE_DIR` names another. Where nothing can be written, each process compiles for itself.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.matching.matcher import Matcher
from triplewire.matching.scanning.scanner import scan
from triplewire.matching.segments.live_index import LiveIndex
from triplewire.rdf.events import Event

_TAXONOMY = "<urn:s> a <urn:C> . <urn:C> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:D> ."
_LINES = b"""<urn:s> <urn:p> "1"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e> .
<urn:s> <urn:p> "one\\ttwo" <urn:e> .
<urn:s>  <urn:q>  <urn:s> <urn:e> . # for the strict parser
broken
"""
_TEXTS = (
    "SELECT ?s { ?s <urn:p> ?v FILTER(?v > 0) }",
    "SELECT ?s { ?s <urn:p> ?v FILTER(CONTAINS(?v, 'one')) }",
    "SELECT ?s { ?s <urn:p> ?v FILTER(?v IN ('one', 1)) }",
    "SELECT ?s { ?s <urn:q> ?s FILTER(<urn:triplewire:isA>(?s, <urn:D>)) }",
    "CONSTRUCT { ?s <urn:q> ?v } { ?s <urn:p> ?v . ?s <urn:q> ?t }",
    "SELECT ?s { ?s <urn:p> ?v OPTIONAL { ?s <urn:r> ?w } }",
)


def warm_up() -> None:
    """Match, merge, save and open."""
    taxonomy = Taxonomy.parse(_TAXONOMY)
    matcher = Matcher(taxonomy, interpret=0)
    for number, text in enumerate(_TEXTS):
        matcher.add(Subscription.parse(text, id=str(number)))
    matcher.match_nquads(_LINES).to_arrow()
    matcher.remove("0")
    with tempfile.TemporaryDirectory() as folder:
        matcher.save(Path(folder) / "snapshot")
        opened = Matcher.open(Path(folder) / "snapshot", taxonomy)
        opened.match(Event.parse(_LINES.splitlines()[0])[0])
        del opened
    _weigh()


def _weigh() -> None:
    """What is seen of events is counted from a thousand subscriptions on."""
    index = LiveIndex(1)
    index.add(Subscription.parse(_TEXTS[0], id="0"))
    index.search(scan(_LINES, index.seed), 1)
    index.statistics.seen_by(index.segments[0].arrays.constants, index.seed)


def main() -> None:
    """What set-up runs."""
    warm_up()


if __name__ == "__main__":
    main()
