"""What SEPA answers wrongly, and what it answers rightly: each update, with what SPARQL says was added and removed."""

from __future__ import annotations

G = "GRAPH <urn:sepa:g>"
Step = tuple[str, list[dict[str, str]], list[dict[str, str]]]
T, E = "urn:thing", "urn:event"
CASES: dict[str, tuple[str, list[Step]]] = {
    "issue 32, OPTIONAL": (
        "SELECT ?thing ?event { ?thing a <urn:Thing> OPTIONAL { ?thing <urn:has> ?event } }",
        [
            (f"INSERT DATA {{ <{T}> a <urn:Thing> }}", [{"thing": T}], []),
            (f"INSERT DATA {{ <{T}> <urn:has> <{E}> }}", [{"event": E, "thing": T}], [{"thing": T}]),
            (f"DELETE DATA {{ <{T}> <urn:has> <{E}> }}", [{"thing": T}], [{"event": E, "thing": T}]),
        ],
    ),
    "issue 68, the default graph": (
        "SELECT ?o { ?s <urn:p> ?o }",
        [
            ("INSERT DATA { <urn:s> <urn:p> 1, 2 }", [{"o": "1"}, {"o": "2"}], []),
            ("DELETE DATA { <urn:s> <urn:p> 1 }", [], [{"o": "1"}]),
            ("DELETE WHERE { ?s <urn:p> ?o }", [], [{"o": "2"}]),
        ],
    ),
    "issue 94, ASK": (
        f"ASK {{ {G} {{ <urn:s> <urn:p> ?o }} }}",
        [
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} }}", [{}], []),
            (f"DELETE WHERE {{ {G} {{ <urn:s> <urn:p> ?o }} }}", [], [{}]),
        ],
    ),
    "a second value is the same solution once more": (
        f"SELECT ?s {{ {G} {{ ?s <urn:v> ?v }} }}",
        [
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 1 }} }}", [{"s": "urn:s"}], []),
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 2 }} }}", [{"s": "urn:s"}], []),
            (f"DELETE DATA {{ {G} {{ <urn:s> <urn:v> 2 }} }}", [], [{"s": "urn:s"}]),
        ],
    ),
    "GRAPH inside OPTIONAL": (
        f"SELECT ?s ?v {{ ?s a <urn:C> OPTIONAL {{ {G} {{ ?s <urn:v> ?v }} }} }}",
        [
            ("INSERT DATA { <urn:s> a <urn:C> }", [{"s": "urn:s"}], []),
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 1 }} }}", [{"s": "urn:s", "v": "1"}], [{"s": "urn:s"}]),
        ],
    ),
    "GRAPH inside UNION and a sub-select": (
        f"SELECT ?v {{ {{ ?s <urn:v> ?v }} UNION {{ SELECT ?v {{ {G} {{ ?s <urn:v> ?v }} }} }} }}",
        [(f"INSERT DATA {{ {G} {{ <urn:s> <urn:v> 1 }} }}", [{"v": "1"}], [])],
    ),
    "INSERT into a graph that WHERE finds": (
        f"SELECT ?o {{ {G} {{ <urn:s> <urn:q> ?o }} }}",
        [
            (
                f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} }} ; "
                "INSERT { GRAPH ?g { ?s <urn:q> ?o } } WHERE { GRAPH ?g { ?s <urn:p> ?o } }",
                [{"o": "1"}],
                [],
            )
        ],
    ),
    "MOVE": (
        f"SELECT ?o {{ {G} {{ ?s ?p ?o }} }}",
        [
            (f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} }}", [{"o": "1"}], []),
            ("MOVE <urn:sepa:g> TO <urn:sepa:h>", [], [{"o": "1"}]),
        ],
    ),
    "a second blank node with the same value": (
        f"SELECT ?v {{ {G} {{ ?b <urn:v> ?v }} }}",
        [
            (f"INSERT DATA {{ {G} {{ [] <urn:v> 1 }} }}", [{"v": "1"}], []),
            (f"INSERT DATA {{ {G} {{ [] <urn:v> 1 }} }}", [{"v": "1"}], []),
        ],
    ),
    "insert and delete of the same in one request": (
        "SELECT ?o { <urn:s> <urn:p> ?o }",
        [
            (
                "INSERT DATA { <urn:s> <urn:p> 1 } ; DELETE DATA { <urn:s> <urn:p> 1 } ; "
                "INSERT DATA { <urn:s> <urn:p> 2 }",
                [{"o": "2"}],
                [],
            ),
        ],
    ),
    "COUNT": (
        "SELECT (COUNT(*) AS ?n) { ?s <urn:p> ?o }",
        [("INSERT DATA { <urn:s> <urn:p> 1, 2 }", [{"n": "2"}], [{"n": "0"}])],
    ),
    "ORDER BY with LIMIT": (
        "SELECT ?o { ?s <urn:p> ?o } ORDER BY ?o LIMIT 2",
        [
            ("INSERT DATA { <urn:s> <urn:p> 2, 3 }", [{"o": "2"}, {"o": "3"}], []),
            ("INSERT DATA { <urn:s> <urn:p> 1 }", [{"o": "1"}], [{"o": "3"}]),
            ("DELETE DATA { <urn:s> <urn:p> 2 }", [{"o": "3"}], [{"o": "2"}]),
        ],
    ),
    "NOT EXISTS and a path": (
        "SELECT ?o { <urn:a> <urn:p>+ ?o FILTER NOT EXISTS { ?o a <urn:Hidden> } }",
        [
            ("INSERT DATA { <urn:a> <urn:p> <urn:b> . <urn:b> <urn:p> <urn:c> }", [{"o": "urn:b"}, {"o": "urn:c"}], []),
            ("INSERT DATA { <urn:c> a <urn:Hidden> }", [], [{"o": "urn:c"}]),
        ],
    ),
    "FROM and FROM NAMED": (
        "SELECT ?o ?g FROM <urn:sepa:g> FROM NAMED <urn:sepa:h> { ?s <urn:p> ?o GRAPH ?g { ?s <urn:p> ?o } }",
        [
            (
                f"INSERT DATA {{ {G} {{ <urn:s> <urn:p> 1 }} GRAPH <urn:sepa:h> {{ <urn:s> <urn:p> 1 }} }}",
                [{"g": "urn:sepa:h", "o": "1"}],
                [],
            ),
        ],
    ),
    "CLEAR ALL": (
        f"SELECT ?o {{ {{ ?s <urn:p> ?o }} UNION {{ {G} {{ ?s <urn:p> ?o }} }} }}",
        [
            (f"INSERT DATA {{ <urn:s> <urn:p> 1 . {G} {{ <urn:s> <urn:p> 2 }} }}", [{"o": "1"}, {"o": "2"}], []),
            ("CLEAR ALL", [], [{"o": "1"}, {"o": "2"}]),
        ],
    ),
    "CONSTRUCT": (
        "CONSTRUCT { ?o <urn:q> ?s } WHERE { ?s <urn:p> ?o }",
        [
            (
                "INSERT DATA { <urn:s> <urn:p> <urn:o> }",
                [{"object": "urn:s", "predicate": "urn:q", "subject": "urn:o"}],
                [],
            )
        ],
    ),
    "DESCRIBE": (
        "DESCRIBE <urn:s>",
        [
            (
                "INSERT DATA { <urn:s> <urn:p> <urn:o> }",
                [{"object": "urn:o", "predicate": "urn:p", "subject": "urn:s"}],
                [],
            )
        ],
    ),
}
