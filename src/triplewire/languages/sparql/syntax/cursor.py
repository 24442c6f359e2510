"""Where the parser is: the tokens, the position, and what was declared so far.

The grammar has one knot: an expression may hold a group (EXISTS) and a group a whole SELECT. The cursor carries the two
ways back up, so that no module needs to import one that imports it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn

from triplewire.algebra.patterns import Variable
from triplewire.errors import LimitExceeded, RefusedFeature, SyntaxProblem
from triplewire.languages.sparql.syntax.ast import Group, SubSelect
from triplewire.languages.sparql.syntax.limits import QueryLimits
from triplewire.languages.sparql.syntax.tokens import offset_of, tokenize
from triplewire.rdf.terms import NamedNode

_COUNTED = {"patterns": "triple patterns", "data": "triples in INSERT DATA or DELETE DATA"}


class Cursor:
    """A position in the tokens of the text of one query or update."""

    __slots__ = (
        "aggregated",
        "at",
        "base",
        "block",
        "blocks",
        "counted",
        "deepest",
        "depth",
        "forced",
        "fresh_count",
        "from_graphs",
        "labels",
        "limits",
        "may_aggregate",
        "most_patterns",
        "patterns",
        "prefixes",
        "read_group",
        "read_subselect",
        "taken",
        "text",
        "tokens",
    )

    def __init__(
        self,
        text: str,
        limits: QueryLimits,
        read_group: Callable[[Cursor], Group],
        read_subselect: Callable[[Cursor], SubSelect],
        base: str | None = None,
    ) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.at = 0
        self.limits = limits
        self.depth = 0
        self.deepest = 0
        self.count_anew("patterns")
        self.prefixes: dict[str, str] = {}
        self.base = base
        # The graphs of FROM and of FROM NAMED; None where a query may not name any.
        self.from_graphs: tuple[list[NamedNode], list[NamedNode]] | None = None
        # Variables that get a term once the text is read, and so may stand in data.
        self.forced: frozenset[str] = frozenset()
        self.block = 0
        self.blocks = 0
        self.labels: dict[str, int] = {}
        self.taken: frozenset[str] | None = None
        self.fresh_count = 0
        self.may_aggregate = False
        self.aggregated = False
        self.read_group = read_group
        self.read_subselect = read_subselect

    def word(self) -> str:
        """The token here, in capitals: keywords are written in any case."""
        return self.tokens[self.at].upper()

    def skip(self, token: str) -> bool:
        """Step over a token if it is the one that stands here."""
        if self.tokens[self.at] == token:
            self.at += 1
            return True
        return False

    def skip_word(self, keyword: str) -> bool:
        """Step over a keyword if it is the one that stands here."""
        if self.tokens[self.at].upper() == keyword:
            self.at += 1
            return True
        return False

    def expect(self, token: str) -> None:
        if self.tokens[self.at] != token:
            self.fail(f"'{token}'")
        self.at += 1

    def expect_word(self, keyword: str) -> None:
        if self.tokens[self.at].upper() != keyword:
            self.fail(keyword)
        self.at += 1

    def enter(self) -> None:
        """Go one level deeper, if the limit allows."""
        self.depth += 1
        if self.depth > self.deepest:
            self.deepest = self.depth
            self.check_depth(self.depth)

    def check_depth(self, depth: int) -> None:
        if depth > self.limits.depth:
            self.exceed("depth", self.limits.depth, "levels of nesting")

    def count_anew(self, counted: str) -> None:
        """From here on triples count as patterns, or as data, of which there may be more."""
        self.patterns = 0
        self.counted = counted
        self.most_patterns: int = getattr(self.limits, counted)

    def count_patterns(self, more: int) -> None:
        self.patterns += more
        self.check_patterns(self.patterns)

    def check_patterns(self, number: int) -> None:
        if number > self.most_patterns:
            self.exceed(self.counted, self.most_patterns, _COUNTED[self.counted])

    def leave(self) -> None:
        self.depth -= 1

    def end_block(self) -> None:
        """A basic graph pattern ends here: blank-node labels before and after must differ."""
        self.blocks += 1
        self.block = self.blocks

    def fresh_blank(self) -> Variable:
        """A blank node that no label of the text denotes."""
        if self.taken is None:
            self.taken = frozenset(token for token in self.tokens if token.startswith("_:"))
        while True:
            name = f"_:b{self.fresh_count}"
            self.fresh_count += 1
            if name not in self.taken:
                return Variable(name)

    def fresh_variable(self) -> Variable:
        """A variable that the text does not mention."""
        mentioned = {token[1:] for token in self.tokens}
        count = 0
        while f"v{count}" in mentioned:
            count += 1
        return Variable(f"v{count}")

    def offset(self, at: int | None = None) -> int:
        """Where a token begins in the text: the one here, unless another is given."""
        return offset_of(self.text, self.at if at is None else at)

    def fail(self, wanted: str, at: int | None = None) -> NoReturn:
        place = self.at if at is None else at
        token = self.tokens[place]
        found = f"'{token}'" if token else "the end of the text"
        self.reject(wanted, found, place)

    def reject(self, wanted: str, found: str, at: int | None = None) -> NoReturn:
        raise SyntaxProblem.at(self.text, self.offset(at), wanted=wanted, found=shortened(found))

    def refuse(self, feature: str, *, wanted: str, found: str, at: int | None = None) -> NoReturn:
        error = RefusedFeature(feature, wanted=wanted, found=shortened(found))
        raise error.standing_in(self.text, self.offset(at))

    def exceed(self, limit: str, allowed: int, counted: str) -> NoReturn:
        error = LimitExceeded(limit, allowed, wanted=f"at most {allowed:,} {counted}", found="more")
        raise error.standing_in(self.text, self.offset())


def shortened(found: str) -> str:
    """A name may be as long as the text: keep its beginning and end."""
    return found if len(found) <= 300 else f"{found[:200]} ... {found[-80:]}"
