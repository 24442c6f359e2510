"""How a view is kept up to date, in words."""

from __future__ import annotations

from msgspec import Struct

from triplewire.algebra.patterns import Variable
from triplewire.evaluation.algebra import nodes
from triplewire.evaluation.forms import Form
from triplewire.languages.sparql.printing.printer import print_path
from triplewire.rdf.terms import DefaultGraph, Term
from triplewire.views.index.shapes import Shape
from triplewire.views.maintenance.leaves import Leaf
from triplewire.views.maintenance.reach import MOST_ENDS
from triplewire.views.maintenance.view import Maintenance, Pipeline, reason_to_reevaluate


class Explanation(Struct, frozen=True):
    """`shape` has a parameter `$n` for each constant; so many `queries` share it, so many `views` ask this very one.

    `patterns` says for each pattern what a changed quad there leads to. `reevaluated` says why the query is evaluated
    again whenever something touches it, None if it is not; `state` what is kept in memory.
    """

    shape: tuple[str, ...]
    queries: int
    views: int
    patterns: tuple[str, ...]
    reevaluated: str | None
    state: tuple[str, ...]

    @property
    def is_incremental(self) -> bool:
        return self.reevaluated is None

    def __str__(self) -> str:
        shared = f", shared by {self.queries:,} queries" if self.queries > 1 else ""
        lines = [f"shape{shared}:", *_indented(self.shape)]
        lines += [f"asked by {self.views:,} views"] if self.views > 1 else []
        if self.reevaluated is None:
            lines += ["kept up to date from what changes:", *_indented(self.patterns)]
        else:
            lines += [f"evaluated again with each change that touches it: {self.reevaluated}"]
        return "\n".join([*lines, "keeps:", *_indented(self.state or ("nothing",))])


def explanation_of(
    form: Form, maintenance: Maintenance, shape: Shape, constants: tuple[Term, ...], queries: int, views: int
) -> Explanation:
    """Explain one view."""
    lifted = tuple(pattern_text(leaf.pattern, ()) for leaf in shape.leaves)
    pinned = tuple(f"?{name} = ${number}" for name, number in shape.pinned)
    reason = reason_to_reevaluate(form)
    if not isinstance(maintenance, Pipeline):
        state = (f"its last answer: {maintenance.size:,} rows or triples",)
        return Explanation((*lifted, *pinned), queries, views, (), reason, state)
    followed = maintenance.plan.pattern.leaves
    leaves = tuple(f"{pattern_text(leaf.pattern, constants)}: {_what_it_leads_to(leaf)}" for leaf in followed)
    return Explanation((*lifted, *pinned), queries, views, leaves, reason, _state(maintenance))


def _what_it_leads_to(leaf: Leaf) -> str:
    names = [name for name in _variables(leaf.pattern) if leaf.keeps(name) and not name.startswith("_:")]
    if leaf.graph is not None:
        names.append(leaf.graph)
    if not names and leaf.kept is not None:
        return f"the pattern is evaluated again, since {leaf.reason} shares no variable that is certain to be bound"
    listed = " ".join(f"?{name}" for name in dict.fromkeys(names)) or "nothing but itself"
    if isinstance(leaf.pattern, nodes.PathPattern):
        return f"solutions by one end of the path ({listed}); all of them if there are more than {MOST_ENDS} ends"
    return f"solutions by {listed}"


def _state(pipeline: Pipeline) -> tuple[str, ...]:
    found = []
    if pipeline.groups is not None:
        found.append(f"{len(pipeline.groups):,} groups with their aggregates")
    if pipeline.distinct is not None:
        found.append(f"a count for each of {len(pipeline.distinct):,} distinct rows")
    if pipeline.window is not None:
        found.append(f"the first {len(pipeline.window):,} rows in order")
    if pipeline.result.size:
        found.append(f"{pipeline.result.size:,} counts of what the answer is made of")
    return tuple(found)


def _variables(pattern: nodes.Leaf | nodes.GraphEach) -> list[str]:
    if isinstance(pattern, nodes.GraphExists | nodes.GraphEach):
        return []
    terms = [pattern.subject, getattr(pattern, "predicate", None), pattern.object, pattern.graph]
    return [term.name for term in terms if isinstance(term, Variable)]


def pattern_text(pattern: nodes.Leaf | nodes.GraphEach, constants: tuple[Term, ...] = ()) -> str:
    """A pattern as SPARQL writes it; `constants` are those of its parameters."""
    if isinstance(pattern, nodes.GraphExists):
        return f"GRAPH {pattern.name} {{ }}"
    if isinstance(pattern, nodes.GraphEach):
        return f"GRAPH {pattern.name} {{ }}"
    ends = [_term(end, constants) for end in (pattern.subject, pattern.object)]
    text = f"{ends[0]} {_predicate(pattern)} {ends[1]}"
    if isinstance(pattern.graph, DefaultGraph):
        return text
    return f"GRAPH {'?' if pattern.graph is nodes.ACTIVE else pattern.graph} {{ {text} }}"


def _predicate(pattern: nodes.QuadPattern | nodes.NegatedPattern | nodes.PathPattern) -> str:
    if isinstance(pattern, nodes.QuadPattern):
        return str(pattern.predicate)
    if isinstance(pattern, nodes.NegatedPattern):
        return f"!({'|'.join(map(str, pattern.excluded))})"
    return print_path(pattern.path)


def _term(term: nodes.Position, constants: tuple[Term, ...]) -> str:
    if isinstance(term, nodes.Parameter):
        return str(constants[term.number])
    return term.name if isinstance(term, Variable) and term.name.startswith("$") else str(term)


def _indented(lines: tuple[str, ...]) -> list[str]:
    return [f"    {line}" for line in lines]
