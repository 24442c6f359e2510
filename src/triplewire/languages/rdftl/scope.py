"""What `$` may stand for at a place of a rule: the variables so far, and the parts of `$delta`, if there is one."""

from __future__ import annotations

from msgspec import Struct, field

from triplewire.languages.rdftl.expanded_size import Extent
from triplewire.languages.rdftl.syntax import (
    ArcEvent,
    Component,
    Delta,
    Event,
    ResourceEvent,
    UpdateEvent,
    Variable,
)
from triplewire.languages.scanner import Scanner, shortened

_COMPONENTS: dict[type[Event], tuple[Component, ...]] = {
    ResourceEvent: (Component.WHOLE,),
    ArcEvent: (Component.WHOLE, Component.SOURCE, Component.ARC_NAME, Component.TARGET),
    UpdateEvent: (
        Component.WHOLE,
        Component.SOURCE,
        Component.ARC_NAME,
        Component.OLD_TARGET,
        Component.NEW_TARGET,
    ),
}
_EVENTS = {
    ResourceEvent: "an event on a resource",
    ArcEvent: "an event that inserts or deletes an arc",
    UpdateEvent: "an event that updates an arc",
}


class Parts(Struct, frozen=True):
    """The parts of `$delta` that can be used; without any, `place` says where that is."""

    place: str
    components: tuple[Component, ...] = ()


NO_EVENT_YET = Parts("a LET")
IN_THE_EVENT = Parts("the event itself")
NO_EVENT = Parts("an update")


def parts_of(event: Event) -> Parts:
    """What a rule's condition and actions can use of what triggered it."""
    return Parts(_EVENTS[type(event)], _COMPONENTS[type(event)])


class RuleScope(Struct, frozen=True):
    """The variables with their extents, and the parts of `$delta`. `used` fills with the variables that were read."""

    variables: dict[str, Extent]
    delta: Parts
    used: set[str] = field(default_factory=set)

    def with_delta(self, delta: Parts) -> RuleScope:
        return RuleScope(self.variables, delta, self.used)

    def meaning(self, scanner: Scanner, name: str, component: str | None, offset: int) -> Variable | Delta:
        """What was written as `$name` or `$name.component`, or the error for that place."""
        if name == "delta":
            return Delta(self._component(scanner, component, offset))
        if component is not None:
            raise scanner.problem(
                wanted="a path", found=f"${shortened(name)}.: only $delta has components", offset=offset
            )
        if name not in self.variables:
            known = ", ".join(f"${known}" for known in self.variables) or "none so far"
            raise scanner.problem(
                wanted=f"a variable that a LET has defined ({shortened(known)})",
                found=f"${shortened(name)}",
                offset=offset,
            )
        self.used.add(name)
        return Variable(name)

    def _component(self, scanner: Scanner, written: str | None, offset: int) -> Component:
        if not self.delta.components:
            message = f"there is no $delta in {self.delta.place}: a rule's condition and actions have one"
            raise scanner.problem(message, offset)
        for component in self.delta.components:
            if component.value == (written or "") and written != "":
                return component
        wanted = ", ".join(f"$delta.{c.value}" if c.value else "$delta" for c in self.delta.components)
        found = shortened(f"$delta.{written}")
        raise scanner.problem(f"{self.delta.place} has only {wanted}", offset, found=found)
