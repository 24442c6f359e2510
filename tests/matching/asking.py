"""Short ways to make events and ask queries of them, in either lane."""

from __future__ import annotations

from collections import Counter

from triplewire.algebra.queries import Core, FastQuery, GeneralQuery, Select
from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.languages.sparql.printing.algebra_syntax import syntax_of
from triplewire.languages.sparql.printing.printer import print_query
from triplewire.matching.matcher import Matcher
from triplewire.matching.matches import Match
from triplewire.rdf.events import Event

PREFIXES = """
    PREFIX : <http://example.org/>
    PREFIX xsd: <http://www.w3.org/2001/XMLSchema#>
    PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
    PREFIX tw: <urn:triplewire:>
"""


def event(turtle: str, graph: str = "http://example.org/event") -> Event:
    """The event of some Turtle triples, with the prefixes above."""
    [found] = Event.parse(PREFIXES + turtle, format="turtle", graph=graph)
    return found


def subscription(query: str, lane: str | None = None, name: str = "s") -> Subscription:
    """A SPARQL subscription; `lane="general"` sends a fast query through the general lane as well."""
    found = Subscription.parse(PREFIXES + query, id=name)
    return in_general_lane(found) if lane == "general" else found


def in_general_lane(fast: Subscription) -> Subscription:
    query = fast.query
    if not isinstance(query, FastQuery):
        return fast
    visible = tuple(v for v in query.core.variables if not v.is_blank)
    variables = query.form.variables if isinstance(query.form, Select) else visible
    tree = syntax_of(query)
    text = print_query(tree)
    general = GeneralQuery(query.form, (Core(()),), tree, text, text, variables)
    return Subscription(fast.id, "sparql", fast.text, general)


def matched(query: str, on: Event, taxonomy: Taxonomy | None = None, lane: str | None = None) -> Match | None:
    matcher = Matcher(taxonomy)
    matcher.add(subscription(query, lane))
    found = matcher.match(on)
    assert not matcher.quarantined
    return found[0] if found else None


def answers(query: str, on: Event, taxonomy: Taxonomy | None = None, lane: str | None = None) -> Counter[str]:
    """The solutions as a multiset of lines, each `name=term` in the order of names."""
    match = matched(query, on, taxonomy, lane)
    return Counter(line(solution) for solution in match.solutions) if match else Counter()


def line(solution: dict) -> str:
    return " ".join(f"{name}={_short(term)}" for name, term in sorted(solution.items()))


def _short(term: object) -> str:
    text = str(term).replace("http://www.w3.org/2001/XMLSchema#", "xsd:").replace("http://example.org/", ":")
    return text.replace("<:", ":").replace("<xsd:", "xsd:").replace(">", "")
