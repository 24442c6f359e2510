"""Vocabularies of any size: classes, properties and restrictions in Turtle, the same for the same seed.

`SCHEMA_ORG`, `DBPEDIA` and `BRICK` are as large as the vocabularies of those names, and say the same kinds of things:
labels and comments in some languages, a tree of classes, domains and ranges, and blank nodes where OWL and SHACL have
them. The words are made up.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from triplewire.testing.workloads.workload import stream

_PREFIXES = """@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix sh: <http://www.w3.org/ns/shacl#> .
"""
_WORDS = ("sensor", "valve", "person", "place", "work", "event", "action", "value", "unit", "point", "rating", "offer")
_NEXT = " ;\n  "
_LANGUAGES = ("en", "de", "fr", "nl", "el", "it", "es", "pt", "ja", "sr")


class Shape(Struct, frozen=True):
    """How much there is of what. `languages` labels each term, `shapes` are blank nodes of a class."""

    name: str
    classes: int
    properties: int
    languages: int = 1
    shapes: int = 0
    words: int = 12


SCHEMA_ORG = Shape("schema", 900, 1_650, words=16)
DBPEDIA = Shape("dbpedia", 800, 2_600, languages=3)
BRICK = Shape("brick", 1_250, 60, languages=2, shapes=5)


def vocabulary(shape: Shape, seed: int = 0) -> str:
    """The vocabulary as Turtle. Its terms are relative IRIs, such as `<#class7>`: give it a base.

    >>> vocabulary(Shape("small", 2, 1)).count("rdfs:label")
    3
    """
    random = stream(seed, shape.name)
    return _PREFIXES + "".join([*_classes(shape, random), *_properties(shape, random)])


def _classes(shape: Shape, random: np.random.Generator) -> Iterator[str]:
    for number in range(shape.classes):
        said = ["a owl:Class, rdfs:Class", *_described(shape, random), "rdfs:isDefinedBy <>"]
        if number:
            said.append(f"rdfs:subClassOf <#class{random.integers(number)}>")
        for _ in range(shape.shapes):
            path, most = random.integers(max(1, shape.properties)), random.integers(1, 9)
            other = random.integers(shape.classes)
            said.append(
                f"sh:property [ a sh:PropertyShape ; sh:path <#property{path}> ; "
                f"sh:or ( [ sh:class <#class{other}> ] ) ; sh:maxCount {most} ]"
            )
        yield f"<#class{number}> {_NEXT.join(said)} .\n"


def _properties(shape: Shape, random: np.random.Generator) -> Iterator[str]:
    for number in range(shape.properties):
        domains, ranges = (", ".join(_some_classes(shape, random)) for _ in range(2))
        said = ["a rdf:Property", *_described(shape, random), "rdfs:isDefinedBy <>"]
        said += [f"rdfs:domain {domains}", f"rdfs:range {ranges}"]
        yield f"<#property{number}> {_NEXT.join(said)} .\n"


def _some_classes(shape: Shape, random: np.random.Generator) -> list[str]:
    return [f"<#class{number}>" for number in random.integers(shape.classes, size=random.integers(1, 3))]


def _described(shape: Shape, random: np.random.Generator) -> Iterator[str]:
    for language in _LANGUAGES[: shape.languages]:
        yield f'rdfs:label "{_text(random, 2)}"@{language}'
    yield f'rdfs:comment "{_text(random, shape.words)}"'


def _text(random: np.random.Generator, words: int) -> str:
    return " ".join(_WORDS[index] for index in random.integers(len(_WORDS), size=words))
