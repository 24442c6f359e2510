"""A function call, evaluated by Oxigraph over an empty store: right by construction, and slow, so results are kept."""

from __future__ import annotations

from functools import lru_cache

from pyoxigraph import QuerySolutions, Store, Variable

from triplewire.rdf.terms import BlankNode, NamedNode, Term

_NOTHING = Store()
_LONG = 512
_ARGUMENTS = tuple(Variable(f"a{number}") for number in range(8))


@lru_cache(maxsize=1024)
def _text(call: str, count: int) -> str:
    names = [f"?a{number}" for number in range(count)]
    return f"SELECT {' '.join(names)} ({call.format(*names)} AS ?result) {{}}"


def computed(call: str, *arguments: Term) -> Term | None:
    """The result of a call such as `{} + {}`; None for an error.

    >>> from triplewire.rdf.terms import Literal
    >>> computed("{} + {}", Literal(1), Literal(2)).value
    '3'
    """
    if any(len(a.value) > _LONG for a in arguments if isinstance(a, NamedNode | BlankNode) or hasattr(a, "value")):
        return _asked(call, arguments)
    return _kept(call, arguments)


@lru_cache(maxsize=16_384)
def _kept(call: str, arguments: tuple[Term, ...]) -> Term | None:
    return _asked(call, arguments)


def _asked(call: str, arguments: tuple[Term, ...]) -> Term | None:
    names = _ARGUMENTS if len(arguments) <= len(_ARGUMENTS) else [Variable(f"a{n}") for n in range(len(arguments))]
    try:
        rows = _NOTHING.query(_text(call, len(arguments)), substitutions=dict(zip(names, arguments, strict=False)))
    except BaseException as problem:
        if type(problem).__name__ != "PanicException":
            raise
        # A panic of Rust's is no Exception to Python, and would end a thread.
        raise RuntimeError(f"Oxigraph panicked in {call}: {problem}") from problem
    assert isinstance(rows, QuerySolutions)
    result: Term | None = next(iter(rows))["result"]
    return result
