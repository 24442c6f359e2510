"""Visiting and rebuilding trees, of whichever language."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec import Struct
from tests.languages.sparql.trees import QUERIES

from triplewire.algebra.patterns import Variable
from triplewire.languages.rdftl.syntax import Delta
from triplewire.languages.sparql.syntax.ast import And, Exists, Group, Not
from triplewire.languages.trees import is_higher_than, parts_of, transform, walk

A, B = Variable("a"), Variable("b")


def naive(node: object) -> list[object]:
    if isinstance(node, tuple):
        return [found for part in node for found in naive(part)]
    if isinstance(node, Struct) and not isinstance(node, Variable):
        return [node, *(found for field in node.__struct_fields__ for found in naive(getattr(node, field)))]
    return [node]


@given(QUERIES)
def test_a_walk_is_a_recursive_one_in_the_order_of_the_text(tree):
    assert list(walk(tree)) == naive(tree)


@given(QUERIES)
def test_a_tree_that_nothing_is_rewritten_in_stays_what_it_was(tree):
    assert transform(tree, lambda node: node) == tree


@given(QUERIES)
def test_every_variable_is_rewritten_and_nothing_else(tree):
    renamed = transform(tree, lambda node: A if isinstance(node, Variable) else node)
    assert naive(renamed) == naive(transform(renamed, lambda node: node))
    assert {node for node in walk(renamed) if isinstance(node, Variable)} <= {A}
    assert [type(node) for node in walk(renamed)] == [type(node) for node in walk(tree)]


def test_a_closed_node_is_visited_and_not_looked_into():
    tree = And((Not(A), Exists(Group((A, B)))))
    assert [node for node in walk(tree, closed=(Exists,)) if isinstance(node, Variable)] == [A]
    assert any(isinstance(node, Exists) for node in walk(tree, closed=(Exists,)))
    renamed = transform(tree, lambda node: B if node == A else node, closed=(Exists,))
    assert renamed == And((Not(B), Exists(Group((A, B)))))


@pytest.mark.parametrize("node", [A, "text", 3, None])
def test_a_leaf_has_no_parts(node):
    assert list(parts_of(node)) == []
    assert list(walk(node)) == [node]


def test_a_high_tree_needs_no_stack():
    tree: object = A
    for _ in range(100_000):
        tree = Not(tree)
    assert is_higher_than(tree, 100_000)
    assert not is_higher_than(tree, 100_001)
    assert sum(1 for _ in walk(tree)) == 100_001
    while isinstance(tree, Not):
        # Let go of it level by level: to free it at once needs a stack.
        tree = tree.operand


def test_trees_of_rules_are_walked_the_same_way():
    assert any(isinstance(node, Delta) for node in walk(((A, Delta()),)))
