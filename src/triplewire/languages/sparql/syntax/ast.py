"""The syntax tree of a SPARQL 1.1 query, with prefixes, base and abbreviations resolved.

Terms are absolute: a `NamedNode`, a `Literal` with its lexical form as written, or a `Variable`. A blank node of the
query is a `Variable` whose name begins with `_:`; `[ ... ]` and `( ... )` are spelled out as triples over such
variables. `CONSTRUCT WHERE { ... }` is spelled out as template and pattern. Chains of `&&`, `||`, `+ -`, `* /`, `/` and
`|` are one node with many operands, so that a tree is never deeper than its text is nested.

    Query        SelectQuery | AskQuery | ConstructQuery
    Group        elements: TriplesBlock | Optional | Union | Minus | Graph | Filter | Bind | Values | SubSelect | Group
    Path         NamedNode | Inverse | Sequence | Alternative | ZeroOrMore | OneOrMore | ZeroOrOne | NegatedSet
    Expression   Variable | NamedNode | Literal | Or | And | Not | Compare | In | NotIn | Arithmetic | Signed
                 | FunctionCall | BuiltIn | Exists | NotExists | Aggregate

Every node is immutable and compares by content; `languages.trees` visits and rebuilds such trees.
"""

from __future__ import annotations

from enum import Enum

from msgspec import Struct

from triplewire.algebra.constraints import Comparator
from triplewire.algebra.patterns import Variable
from triplewire.rdf.terms import Literal, NamedNode

Term = Variable | NamedNode | Literal


# Property paths


class Inverse(Struct, frozen=True):
    """`^path`."""

    path: Path


class Sequence(Struct, frozen=True):
    """`first / second / ...`; at least two steps."""

    steps: tuple[Path, ...]


class Alternative(Struct, frozen=True):
    """`first | second | ...`; at least two choices."""

    choices: tuple[Path, ...]


class ZeroOrMore(Struct, frozen=True):
    """`path*`."""

    path: Path


class OneOrMore(Struct, frozen=True):
    """`path+`."""

    path: Path


class ZeroOrOne(Struct, frozen=True):
    """`path?`."""

    path: Path


class NegatedSet(Struct, frozen=True):
    """`!(forward | ... | ^backward | ...)`."""

    forward: tuple[NamedNode, ...]
    backward: tuple[NamedNode, ...] = ()


PathNode = Inverse | Sequence | Alternative | ZeroOrMore | OneOrMore | ZeroOrOne | NegatedSet
Path = NamedNode | PathNode


# Expressions


class Or(Struct, frozen=True):
    """`a || b || ...`; at least two operands."""

    operands: tuple[Expression, ...]


class And(Struct, frozen=True):
    """`a && b && ...`; at least two operands."""

    operands: tuple[Expression, ...]


class Not(Struct, frozen=True):
    """`! operand`."""

    operand: Expression


class Compare(Struct, frozen=True):
    """`left operator right`."""

    operator: Comparator
    left: Expression
    right: Expression


class In(Struct, frozen=True):
    """`operand IN (choices)`."""

    operand: Expression
    choices: tuple[Expression, ...]


class NotIn(Struct, frozen=True):
    """`operand NOT IN (choices)`."""

    operand: Expression
    choices: tuple[Expression, ...]


class Operator(Enum):
    """The arithmetic operators. PLUS and MINUS are also signs."""

    PLUS = "+"
    MINUS = "-"
    TIMES = "*"
    DIVIDED = "/"


class Operation(Struct, frozen=True):
    """One further step of an arithmetic chain."""

    operator: Operator
    operand: Expression


class Arithmetic(Struct, frozen=True):
    """`first + a - b ...` or `first * a / b ...`: from left to right, operators of one precedence."""

    first: Expression
    rest: tuple[Operation, ...]


class Signed(Struct, frozen=True):
    """`+ operand` or `- operand`, where the operand is no plain number."""

    sign: Operator
    operand: Expression


class FunctionCall(Struct, frozen=True):
    """A function named by IRI: an XSD cast or a `urn:triplewire:` function."""

    function: NamedNode
    arguments: tuple[Expression, ...]


class BuiltIn(Struct, frozen=True):
    """A built-in function by its name in capitals, such as `STRLEN`, `IF`, `COALESCE` or `BOUND`.

    `base` is what IRI and URI resolve relative ones against, if the text has said.
    """

    name: str
    arguments: tuple[Expression, ...]
    base: str | None = None


class Exists(Struct, frozen=True):
    """`EXISTS { ... }`."""

    group: Group


class NotExists(Struct, frozen=True):
    """`NOT EXISTS { ... }`."""

    group: Group


class Aggregate(Struct, frozen=True):
    """`COUNT(DISTINCT ?x)` and its kin. No argument means `*`; only GROUP_CONCAT has a separator."""

    name: str
    argument: Expression | None
    distinct: bool = False
    separator: str | None = None


ExpressionNode = (
    Or
    | And
    | Not
    | Compare
    | In
    | NotIn
    | Arithmetic
    | Signed
    | FunctionCall
    | BuiltIn
    | Exists
    | NotExists
    | Aggregate
)
Expression = Variable | NamedNode | Literal | ExpressionNode


# Graph patterns


class TriplePattern(Struct, frozen=True):
    """One triple pattern. The predicate is a variable, an IRI or a longer path."""

    subject: Term
    predicate: Variable | Path
    object: Term


class TriplesBlock(Struct, frozen=True):
    """Triple patterns that stand side by side, or with nothing but FILTERs between them."""

    patterns: tuple[TriplePattern, ...]


class Optional(Struct, frozen=True):
    """`OPTIONAL { ... }`: applies to all that stands before it in its group."""

    group: Group


class Union(Struct, frozen=True):
    """`{ ... } UNION { ... } ...`; at least two branches."""

    branches: tuple[Group, ...]


class Minus(Struct, frozen=True):
    """`MINUS { ... }`: applies to all that stands before it in its group."""

    group: Group


class Graph(Struct, frozen=True):
    """`GRAPH name { ... }`."""

    name: Variable | NamedNode
    group: Group


class Filter(Struct, frozen=True):
    """`FILTER condition`: applies to the whole of its group, wherever it stands."""

    condition: Expression


class Bind(Struct, frozen=True):
    """`BIND (expression AS variable)`."""

    expression: Expression
    variable: Variable


class Values(Struct, frozen=True):
    """`VALUES (variables) { rows }`; `None` is UNDEF."""

    variables: tuple[Variable, ...]
    rows: tuple[tuple[NamedNode | Literal | None, ...], ...]


class SubSelect(Struct, frozen=True):
    """`{ SELECT ... }`. A group that holds nothing else is written without a second pair of braces."""

    query: SelectQuery


class Group(Struct, frozen=True):
    """`{ ... }`: its elements in the order of the text."""

    elements: tuple[Element, ...]


Element = TriplesBlock | Optional | Union | Minus | Graph | Filter | Bind | Values | SubSelect | Group


# Queries


class Alias(Struct, frozen=True):
    """`(expression AS variable)` in SELECT or GROUP BY."""

    expression: Expression
    variable: Variable


class OrderKey(Struct, frozen=True):
    """One key of ORDER BY."""

    expression: Expression
    descending: bool = False


class Modifiers(Struct, frozen=True):
    """What follows the pattern: GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET."""

    group_by: tuple[Expression | Alias, ...] = ()
    having: tuple[Expression, ...] = ()
    order_by: tuple[OrderKey, ...] = ()
    limit: int | None = None
    offset: int | None = None


NO_MODIFIERS = Modifiers()


class Duplicates(Enum):
    """What SELECT does with equal solutions."""

    KEPT = ""
    DISTINCT = "DISTINCT"
    REDUCED = "REDUCED"


class SelectQuery(Struct, frozen=True):
    """`SELECT ...`. A projection of `None` is `*`."""

    projection: tuple[Variable | Alias, ...] | None
    where: Group
    duplicates: Duplicates = Duplicates.KEPT
    modifiers: Modifiers = NO_MODIFIERS
    values: Values | None = None


class AskQuery(Struct, frozen=True):
    """`ASK { ... }`."""

    where: Group
    modifiers: Modifiers = NO_MODIFIERS
    values: Values | None = None


class ConstructQuery(Struct, frozen=True):
    """`CONSTRUCT { template } WHERE { ... }`. Predicates of the template are variables or IRIs, never paths."""

    template: tuple[TriplePattern, ...]
    where: Group
    modifiers: Modifiers = NO_MODIFIERS
    values: Values | None = None


Query = SelectQuery | AskQuery | ConstructQuery
