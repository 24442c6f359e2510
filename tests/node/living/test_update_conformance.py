"""SPARQL 1.1 Update on a node, as the W3C's test suite has it: `tests/fixtures/living/updates.txt`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from pyoxigraph import CanonicalizationAlgorithm, Dataset, Quad, RdfFormat, parse
from tests.languages.text_pairs import texts
from tests.node.http.serving import QUERY, Api, api_of

PATCH = {"Content-Type": "application/rdf-patch"}
UPDATE = {"Content-Type": "application/sparql-update"}
PREFIX = "PREFIX : <urn:> "


def quads_of(text: str) -> list[Quad]:
    """Triples and graphs in TriG; a graph needs no dot, the last triple neither."""
    return list(
        parse(f"@prefix : <urn:> . {text}{'' if text.endswith('}') or not text else ' .'}".encode(), RdfFormat.TRIG)
    )


def canonical(quads: Iterable[Quad]) -> Dataset:
    dataset = Dataset(quads)
    dataset.canonicalize(CanonicalizationAlgorithm.UNSTABLE)
    return dataset


async def held(api: Api) -> Dataset:
    """What holds, by the graphs that there are."""
    asked = "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }"
    found = await api.post("/sparql", content=asked, headers=QUERY | {"Accept": "text/csv"})
    lines = (await api.get("/graph?default", headers={"Accept": "application/n-triples"})).text.splitlines()
    for name in found.text.split()[1:]:
        graph = await api.get("/graph", params={"graph": name}, headers={"Accept": "application/n-triples"})
        lines += [f"{line.removesuffix(' .')} <{name}> ." for line in graph.text.splitlines()]
    return canonical(parse("\n".join(lines).encode(), RdfFormat.N_QUADS))


async def wrong_in(api: Api, found: str, request: str, left: str | None) -> str | None:
    """Run one request on what it is to find; what is wrong with what comes of it, if something is."""
    assert (await api.post("/update", content="DROP ALL", headers=UPDATE)).status_code == 200
    rows = "".join(f"A {quad} .\n" for quad in quads_of(found))
    assert (await api.patch("/graph", content=f"TX .\n{rows}TC .\n", headers=PATCH)).status_code == 200
    answer = await api.post("/update", content=PREFIX + request, headers=UPDATE)
    if answer.status_code != (400 if left is None else 200):
        return f"answered with {answer.status_code}: {answer.text}"
    now, wanted = await held(api), canonical(quads_of(found if left is None else left))
    return None if now == wanted else f"wanted {wanted}, found {now}"


def case_of(text: str) -> tuple[str, tuple[str, str, str | None]]:
    name, *lines = text.splitlines()
    said = {label: rest.strip() for label, _, rest in (line.partition(":") for line in lines)}
    return name, (said["found"], said["request"], None if "refused" in said else said["left"])


async def test_each_form_of_update_does_what_the_standard_says(tmp_path: Path):
    cases = dict(map(case_of, texts("living/updates.txt")))
    assert len(cases) > 80
    async with api_of(tmp_path) as api:
        told = {name: await wrong_in(api, *case) for name, case in cases.items()}
    assert {name: problem for name, problem in told.items() if problem} == {}
