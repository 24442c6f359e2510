"""What Oxigraph's FILTER makes of expressions over pairs of terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pyoxigraph import Store

from triplewire.rdf.terms import Term, Triple

Outcome = bool | None


def outcomes(
    expressions: Sequence[str], left: Sequence[Term], right: Sequence[Term]
) -> Iterator[tuple[Term, Term, tuple[Outcome, ...]]]:
    """For each pair of terms ?a and ?b, what each expression comes out as."""
    columns = " ".join(f"({expression} AS ?o{n})" for n, expression in enumerate(expressions))
    query = f"SELECT ?i ?j {columns} {{ {_values('?i ?a', left)} {_values('?j ?b', right)} }}"
    for row in Store().query(query):
        a, b = left[int(row["i"].value)], right[int(row["j"].value)]
        yield a, b, tuple(_outcome(row[f"o{n}"]) for n in range(len(expressions)))


def _outcome(term: Term | None) -> Outcome:
    return None if term is None else term.value == "true"


def _values(variables: str, terms: Sequence[Term]) -> str:
    rows = " ".join(f"({n} {written(term)})" for n, term in enumerate(terms))
    return f"VALUES ({variables}) {{ {rows} }}"


def written(term: Term) -> str:
    return f"<<( {term} )>>" if isinstance(term, Triple) else str(term)
