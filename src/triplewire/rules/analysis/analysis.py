"""The analysis of a rule base under a schema (sections 2.4 and 2.5), and whether it terminates.

>>> from triplewire.languages.rdftl import parse_rules
>>> schema = Schema.parse('''
...     @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
...     @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
...     <urn:title> rdfs:domain <urn:Book> ; rdfs:range xsd:string .
... ''')
>>> rules = parse_rules('''
...     ON INSERT resource() AS INSTANCE OF Book
...     IF True
...     DO INSERT ($delta, title, 'untitled') ;;
... ''')
>>> analysis = Analysis(rules, schema)
>>> analysis.termination.reason
'no rule may trigger itself, at once or through others'
>>> analysis.well_defined("r1").holds
True
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property

from triplewire.algebra.verdicts import Verdict
from triplewire.languages.rdftl.syntax import Arc, Path, Rule, Update
from triplewire.rdf.terms import NamedNode
from triplewire.rules.analysis.bits import union
from triplewire.rules.analysis.cascades import Cascade, Cascades
from triplewire.rules.analysis.conditions import Commutes, WellDefined, commutes, well_defined
from triplewire.rules.analysis.conflicts import Conflict, conflicts
from triplewire.rules.analysis.footprints import definitions
from triplewire.rules.analysis.footprints.actions import ActionFootprint
from triplewire.rules.analysis.footprints.extents import ExtentIndex, SchemaTriple
from triplewire.rules.analysis.footprints.footprint import Footprint, footprint, update_footprint
from triplewire.rules.analysis.footprints.paths import Scope
from triplewire.rules.analysis.liveness import never_fires
from triplewire.rules.analysis.pitfalls import Pitfall, pitfalls
from triplewire.rules.analysis.triggering import Trigger, TriggeringGraph, may_trigger
from triplewire.rules.name_resolution import resolved, resolved_update
from triplewire.rules.schema import Schema


class Analysis:
    """What can be said of rules without running them. Never a wrong yes; a no may be too careful."""

    def __init__(self, rules: Iterable[Rule], schema: Schema) -> None:
        self.schema = schema
        self.rules = tuple(resolved(rule, schema) for rule in rules)
        self.index = ExtentIndex(schema)
        self.graph = TriggeringGraph([footprint(rule, self.index) for rule in self.rules], self.index)
        self._following = Cascades(self.graph)

    # Section 2.4

    def nodes(self, path: Path) -> frozenset[NamedNode]:
        """nodes(v, S) of a path that uses no variables."""
        return definitions.nodes(path, Scope(self.index, {}))

    def triples(self, arc: Arc) -> frozenset[SchemaTriple]:
        """triples(t, S) of a triple that uses no variables."""
        return definitions.triples(arc, Scope(self.index, {}))

    def triples_queried(self, rule: str) -> frozenset[SchemaTriple]:
        """triplesQueried(r, S)."""
        return self.index.triples_in(self[rule].queried)

    def may_trigger(self, first: str, second: str) -> Trigger | None:
        """Why the first rule may trigger the second, if it may."""
        return may_trigger(self[first], self[second], self.index)

    def triggered(self, action: ActionFootprint | Update) -> tuple[str, ...]:
        """triggered(a): the rules that an action may trigger, at once or through others."""
        found = self.graph.triggered(self._footprint_of(action).writes)
        return tuple(each.rule.id for each in self.graph.rules_in(found))

    def triggered_triples_queried(self, action: ActionFootprint | Update) -> frozenset[SchemaTriple]:
        """triggeredTriplesQueried(a, S)."""
        return self.index.triples_in(self._following.after(self._footprint_of(action).writes).queried)

    def triggered_triples_updated(self, action: ActionFootprint | Update) -> frozenset[SchemaTriple]:
        """triggeredTriplesUpdated(a, S)."""
        return self.index.triples_in(self._following.after(self._footprint_of(action).writes).writes.all)

    def well_defined(self, rule: str) -> WellDefined:
        """I1, I2 and I3 of a rule."""
        return well_defined(self[rule], self.cascade(rule), self.index)

    def cascade(self, rule: str) -> Cascade:
        """The action part of a rule and all that may follow it."""
        return self._cascades[self.graph.place[rule]]

    def cascade_of(self, update: Update) -> Cascade:
        """An update and all that may follow it."""
        return self._following.of_action(self._footprint_of(update))

    # Section 2.5

    def commutes(self, first: str, second: str) -> Commutes:
        """C1, C2 and C3 of two rules, whether or not they can meet."""
        return commutes(self.cascade(first), self.cascade(second), self.index)

    @cached_property
    def conflicts(self) -> tuple[Conflict, ...]:
        """The pairs that may be triggered at the same time, in no order, and do not commute."""
        return tuple(conflicts(self.graph.footprints, self._cascades, self.index))

    # Beyond the paper

    @cached_property
    def termination(self) -> Verdict:
        """Whether every cascade ends, because no rule may trigger itself; otherwise a cycle."""
        if not self.graph.cycles:
            return Verdict(True, "no rule may trigger itself, at once or through others")
        shown = " -> ".join(self.graph.cycles[0])
        more = f", and {len(self.graph.cycles) - 1} more cycles" if len(self.graph.cycles) > 1 else ""
        return Verdict(False, f"rules may trigger each other without end: {shown}{more}")

    @cached_property
    def never_firing(self) -> dict[str, str]:
        """Rules that can never fire under the schema, and why."""
        found = ((rule.id, never_fires(rule, self.index)) for rule in self.rules)
        return {name: reason for name, reason in found if reason is not None}

    @cached_property
    def pitfalls(self) -> tuple[Pitfall, ...]:
        """Rules that do what they say, and hardly what was meant."""
        return tuple(found for rule in self.rules for found in pitfalls(rule, self.index))

    def unreachable(self, updates: Iterable[Update]) -> tuple[str, ...]:
        """Rules that none of these updates may trigger, neither at once nor through others."""
        reached = union(self.graph.triggered(self._footprint_of(update).writes) for update in updates)
        return tuple(rule.id for place, rule in enumerate(self.rules) if not reached >> place & 1)

    @cached_property
    def triggered_by_no_rule(self) -> tuple[str, ...]:
        """Rules that only updates from outside may trigger."""
        targets = union(self.graph.forward)
        return tuple(rule.id for place, rule in enumerate(self.rules) if not targets >> place & 1)

    def __getitem__(self, rule: str) -> Footprint:
        return self.graph.footprints[self.graph.place[rule]]

    @cached_property
    def _cascades(self) -> list[Cascade]:
        return [self._following.of(each) for each in self.graph.footprints]

    def _footprint_of(self, action: ActionFootprint | Update) -> ActionFootprint:
        if isinstance(action, Update):
            return update_footprint(resolved_update(action, self.schema), self.index)
        return action
