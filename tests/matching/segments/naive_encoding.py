"""A core as words, written from its first to its last without a recipe: the twin of `matching.segments.encoding`."""

from __future__ import annotations

from triplewire.algebra.constraints import Comparator, ComparisonTest, Condition, MembershipTest, TaxonomyTest, TextTest
from triplewire.algebra.patterns import PatternTerm, Variable
from triplewire.algebra.queries import Core
from triplewire.matching.kernels import layout
from triplewire.matching.segments.encoding import Encoder
from triplewire.matching.segments.recipes import visiting_order

EXACT = (layout.EXACT, 0, 0, 0, 0)
MIRRORED = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def encoded(core: Core, encoder: Encoder) -> tuple[list[int], tuple[Variable, ...]]:
    """The words of a core, with the numbers that the encoder gives to constants."""
    indices: dict[Variable, int] = {}

    def word(term: PatternTerm) -> int:
        if not isinstance(term, Variable):
            return encoder.constant(term)
        if term in indices:
            return -1 - 2 * indices[term]
        indices[term] = len(indices)
        return -1 - 2 * indices[term] - 1

    order = visiting_order(core)
    graphs = [word(term) for term in core.graphs]
    patterns = [word(term) for pattern in order for term in pattern]
    alternatives = []
    for alternative in core.constraint.alternatives:
        rows = [row for condition in alternative for row in rows_of(condition, indices, encoder)]
        alternatives += [len(rows), *(number for row in rows for number in row)]
    header = [len(order), len(indices), len(graphs), len(core.constraint.alternatives)]
    return [*header, *patterns, *graphs, *alternatives], tuple(indices)


def rows_of(condition: Condition, indices: dict[Variable, int], encoder: Encoder) -> list[tuple[int, ...]]:
    rows = rows_of_test(condition.test, indices, encoder)
    return rows if condition.holds else [(rows[0][0] | layout.MUST_FAIL, *rows[0][1:]), *rows[1:]]


def rows_of_test(test, indices: dict[Variable, int], encoder: Encoder) -> list[tuple[int, ...]]:
    if isinstance(test, ComparisonTest):
        return [comparison(test, indices, encoder)]
    if test.variable not in indices:
        return [EXACT]
    index = indices[test.variable]
    if isinstance(test, MembershipTest):
        found = [encoder.against(constant, layout.EQUAL, index) for constant in test.constants]
        return [
            (layout.MEMBER, index, len(found), 0, 0),
            *((layout.OPERAND, row[0], row[2], row[3], row[4]) for row in found),
        ]
    if isinstance(test, TextTest):
        relation = {"CONTAINS": layout.CONTAINS, "STRSTARTS": layout.STARTS, "STRENDS": layout.ENDS}
        if test.text.language is not None:
            return [EXACT]
        return [(layout.TEXT, index, encoder.text(test.text.value), 0, relation[test.relation.value])]
    if isinstance(test, TaxonomyTest):
        relations = ["isA", "ancestorOf", "directInstanceOf", "directInstanceOrSame"]
        return [(layout.CLASS, index, encoder.constant(test.cls), 0, relations.index(test.relation.value))]
    return [(layout.INTEGER, index, 0, 0, 0)]


def comparison(test: ComparisonTest, indices: dict[Variable, int], encoder: Encoder) -> tuple[int, ...]:
    left, right, operator = test.left, test.right, test.operator.value
    if not isinstance(left, Variable):
        left, right, operator = right, left, MIRRORED[operator]
    comparator = list(Comparator).index(Comparator(operator))
    if left not in indices or (isinstance(right, Variable) and right not in indices):
        return EXACT
    if isinstance(right, Variable):
        return (layout.VARIABLES, indices[left], indices[right], 0, comparator)
    return encoder.against(right, comparator, indices[left])
