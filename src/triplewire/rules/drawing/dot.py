"""The triggering graph in DOT, the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator

from triplewire.rules.analysis import Analysis


def as_dot(analysis: Analysis) -> str:
    """A digraph with an edge from each rule to those that it may trigger; cycles are red."""
    return "\n".join(["digraph triggering {", "  node [shape=box];", *_statements(analysis), "}", ""])


def _statements(analysis: Analysis) -> Iterator[str]:
    graph = analysis.graph
    names = [_quoted(rule.id) for rule in analysis.rules]
    for place, name in enumerate(names):
        yield f"  {name}{' [color=red]' if graph.in_cycles >> place & 1 else ''};"
    for first, second in graph.edges():
        yield f"  {names[first]} -> {names[second]}{' [color=red]' if graph.on_cycle(first, second) else ''};"


def _quoted(name: str) -> str:
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'
