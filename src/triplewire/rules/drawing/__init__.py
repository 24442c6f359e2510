"""The triggering graph as a picture: SVG with a layout of our own, or DOT for Graphviz.

dot     the triggering graph in DOT, the language of Graphviz
layers  each rule above those that it may trigger, and near them where that is possible
parts   what pictures are made of: boxes with names, lines, and the page around them
svg     the triggering graph as SVG, which any browser shows; the reason of an edge is its tooltip

A rule stands above those that it may trigger; what belongs to a cycle is red.
"""

from __future__ import annotations

from triplewire.rules.drawing.dot import as_dot
from triplewire.rules.drawing.svg import as_svg

__all__ = ["as_dot", "as_svg"]
