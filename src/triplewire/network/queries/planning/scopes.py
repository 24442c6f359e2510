"""Scopes: what is known about variables where a pattern stands.

A scope is a group of the query, or a side of OPTIONAL, MINUS, UNION or EXISTS. Its solutions are needed only where
each variable that is bound lies within the bounds and is among the values that the scope knows of. That goes on
inside: a part of a join needs no others. The right side of OPTIONAL, and what is subtracted, sees only the variables
that the left side certainly binds: for others, a match that is missing there would make a solution that is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from triplewire.algebra.patterns import Variable
from triplewire.network.queries.bounds.filters import Remark
from triplewire.network.queries.bounds.intervals import EVERYTHING, Intervals

if TYPE_CHECKING:
    from triplewire.network.queries.planning.steps import Step


class Scope:
    """Bounds and givers of values, its own and those of the scope around as far as it sees them.

    `sees` are the variables that it shares with the scope around; None is all. `renamed` are names that a variable of
    the scope around has in here.
    """

    def __init__(
        self,
        around: Scope | None = None,
        *,
        sees: frozenset[Variable] | None = None,
        bounds: Mapping[Variable, Intervals] | None = None,
        remarks: tuple[Remark, ...] = (),
        is_joined: bool = False,
        renamed: Mapping[Variable, Variable] | None = None,
    ) -> None:
        self._around = around
        self._sees = sees
        self._bounds = bounds or {}
        self._remarks = remarks
        self._is_joined = is_joined
        self._renamed = renamed or {}
        self._givers: dict[Variable, list[Step]] = {}

    def add_giver(self, step: Step) -> None:
        """Let a step's values count here, and in the scopes that this one is joined into."""
        for variable in {variable for _, variable in step.variables}:
            self._givers.setdefault(variable, []).append(step)
        if self._is_joined and self._around is not None:
            self._around.add_giver(step)

    def bounds(self, variable: Variable) -> Intervals:
        """Where the variable lies, by constants and filters."""
        found = EVERYTHING
        for scope, name in self._levels(variable):
            found = found & scope._bounds.get(name, EVERYTHING)
        return found

    def givers(self, variable: Variable) -> Iterator[tuple[Step, Variable]]:
        """The steps whose values of a variable count here, with the variable's name there."""
        seen: set[int] = set()
        for scope, name in self._levels(variable):
            for step in scope._givers.get(name, ()):
                if id(step) not in seen:
                    seen.add(id(step))
                    yield step, name

    def remarks(self, variable: Variable) -> Iterator[Remark]:
        for scope, name in self._levels(variable):
            yield from (remark for remark in scope._remarks if name in remark.variables)

    def _levels(self, variable: Variable) -> Iterator[tuple[Scope, Variable]]:
        """The scopes from here outwards in which the variable is the same, each with its name there."""
        scope: Scope | None = self
        while scope is not None:
            yield scope, variable
            variable = scope._renamed.get(variable, variable)
            if scope._sees is not None and variable not in scope._sees:
                return
            scope = scope._around
