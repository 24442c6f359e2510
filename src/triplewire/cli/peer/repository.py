"""`triplewire peer schema`, `load`, `update` and `graph`: the repository of a peer's home.

They work off-line; `update` goes on-line afterwards, so that the super-peer hears of it. The repository is made by the
first of them that has something to keep.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer
from pyoxigraph import DefaultGraph, serialize

from triplewire.cli.inputs import rdf_files
from triplewire.cli.invocation import FAILED, Job, text_of
from triplewire.cli.peer.home import which
from triplewire.cli.screen import complain, warn, write_json
from triplewire.errors import HomeInUse, InputError, NodeUnreachable
from triplewire.rdf.documents import read_document
from triplewire.rdf.formats import format_named, format_of_path
from triplewire.rdf.parsing.quads import parse_quads
from triplewire.rdf.terms import BlankNode, Literal, NamedNode, Term, Triple

if TYPE_CHECKING:
    from triplewire.client.peer import Folder
    from triplewire.client.peer.home_repository import HomeRepository
    from triplewire.client.peer.inbox import InboxAnswer
    from triplewire.federation.sites.site import PeerSite

schema_app = typer.Typer(
    no_args_is_help=True, rich_markup_mode="rich", help="What the peer's repository conforms to: get, put."
)
_SUFFIX = ".rdftl"
_LOOK_SECONDS = 0.1
_P = "[bold]Example[/bold]\n\ntriplewire peer --home ./ann "
Seconds = Annotated[float, typer.Option(min=0.1, metavar="SECONDS", help="How long to wait for the super-peer.")]


@contextmanager
def repository_of(folder: Folder) -> Iterator[HomeRepository]:
    """The repository of a home, which no other program uses meanwhile."""
    from triplewire.client.peer.home_repository import HomeRepository

    with folder:
        repository = HomeRepository(folder.repository, folder.keys().id)
        try:
            yield repository
        finally:
            repository.close()


@schema_app.command("put", cls=Job, epilog=f"{_P}schema put selene.ttl")
def put_schema_command(
    ctx: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="An RDFS schema, in an RDF file of any format.")],
) -> None:
    """Use another schema, if all that was asserted conforms to it. The super-peer hears of it in the next session."""
    from triplewire.cli.rules.inputs import read_schema

    schema = read_schema(file)
    with repository_of(which(ctx).folder()) as repository:
        repository.put_schema(schema)


@schema_app.command("get", cls=Job, epilog=f"{_P}schema get > schema.nt")
def get_schema_command(ctx: typer.Context) -> None:
    """Print the schema as N-Triples; nothing, if the repository need not conform to any."""
    for line in sorted(f"{triple} .\n" for triple in _site_of(ctx).repository.schema.triples):
        sys.stdout.write(line)


def load_command(
    ctx: typer.Context,
    files: Annotated[list[Path], typer.Argument(metavar="FILE...", help="RDF files, or folders of them.")],
) -> None:
    """Assert the triples of files, all of them or none. They trigger no rules; update does.

    The super-peer hears of them in the next session.
    """
    triples = [triple for path in files for file in rdf_files(path) for triple in _triples_in(file)]
    with repository_of(which(ctx).folder()) as repository:
        write_json([{"triples": len(triples), "new": repository.load(triples)}])


def _triples_in(file: Path) -> Iterator[Triple]:
    """The triples of a file. Its blank nodes are none of those that are there."""
    labels: dict[str, BlankNode] = {}

    def fresh(term: Term) -> Term:
        match term:
            case NamedNode() | Literal():
                return term
            case BlankNode(value):
                return labels.setdefault(value, BlankNode())
        return Triple(*map(fresh, term))  # type: ignore[arg-type]

    for quad in parse_quads(read_document(file), format_of_path(file)):
        if quad.graph_name != DefaultGraph():
            raise InputError(wanted="triples", found=f"a quad of the graph {quad.graph_name}", source=str(file))
        yield Triple(*map(fresh, quad.triple))  # type: ignore[arg-type]


def update_command(
    ctx: typer.Context,
    update: Annotated[
        str, typer.Argument(metavar="UPDATE", help="RDFTL updates, a file that ends in .rdftl, or - for input.")
    ],
    offline: Annotated[bool, typer.Option("--offline", help="Do not go on-line to report it.")] = False,
    seconds: Seconds = 30.0,
) -> None:
    """Change the peer's own repository by RDFTL: each transaction is all done or not at all, and for good.

    It is reported to the super-peer, where it triggers rules: now, if the super-peer answers in time, otherwise when
    the peer is on-line next. While listen or another program uses the home, that one does both. If a transaction
    fails, the others stay, and the exit code is 1.
    """
    from triplewire.languages.rdftl import parse_updates

    text, source = text_of(update, _SUFFIX), update if update.endswith(_SUFFIX) else None
    parse_updates(text, source=source)
    folder = which(ctx).folder()
    answer = _answered(folder, text, seconds)
    if answer.error:
        raise InputError(answer.error)
    serial = max((one.serial for one in answer.transactions), default=0)
    is_reported = bool(serial) and not offline and _reported(folder, serial, seconds)
    for one in answer.transactions:
        write_json([{**msgspec.to_builtins(one), **({"reported": is_reported} if one.serial else {})}])
    failed = [one for one in answer.transactions if one.error]
    for one in failed:
        complain(f"transaction {one.transaction} was not done: {one.error}")
    if failed:
        raise typer.Exit(FAILED)


def graph_command(
    ctx: typer.Context,
    form: Annotated[str, typer.Option("--format", metavar="FORMAT", help="An RDF format.")] = "turtle",
    closure: Annotated[bool, typer.Option("--closure", help="Also what follows by the schema.")] = False,
) -> None:
    """Print what was asserted in the peer's repository, also while another program uses it."""
    syntax = format_named(form).syntax
    repository = _site_of(ctx).repository
    triples = repository if closure else repository.asserted
    sys.stdout.buffer.write(serialize(sorted(triples, key=str), format=syntax) or b"")


def _site_of(ctx: typer.Context) -> PeerSite:
    from triplewire.client.peer.home_repository import site_on_disk

    folder = which(ctx).folder()
    if not folder.repository.exists():
        hint = "schema put, load or update makes one"
        raise InputError(wanted="a home with a repository", found="none", hint=hint, source=str(folder.path))
    return site_on_disk(folder.repository, folder.keys().id)


# Updates


def _answered(folder: Folder, text: str, seconds: float) -> InboxAnswer:
    """Do updates; if another program uses the home, let it do them."""
    from triplewire.client.peer.inbox import Inbox

    inbox = Inbox(folder.inbox)
    key = inbox.put(text)
    deadline = time.monotonic() + seconds
    while (answer := inbox.answer(key)) is None:
        try:
            with repository_of(folder) as repository:
                inbox.execute(key, repository)
        except HomeInUse:
            if time.monotonic() > deadline:
                hint = "it is kept in the inbox, and done by that program or the next one"
                raise InputError(
                    wanted=f"an answer of the program that uses the home, within {seconds:g} s",
                    found="none",
                    hint=hint,
                    source=str(folder.path),
                ) from None
            time.sleep(_LOOK_SECONDS)
    inbox.remove(key)
    return answer


def _reported(folder: Folder, serial: int, seconds: float) -> bool:
    """Go on-line until the super-peer has what was told; whether it has."""
    from triplewire.client.peer import PeerProgram

    async def run() -> bool:
        async with PeerProgram(folder, seconds=seconds) as peer:
            await peer.connected()
            assert peer.rules is not None, "the home has a repository"
            await peer.reported(serial)
            if peer.rules.refusal is not None:
                warn(f"the access point does not take it: {peer.rules.refusal}")
            return peer.rules.has_received(serial)

    try:
        return asyncio.run(run())
    except HomeInUse:
        warn("the program that uses the home reports it")
    except NodeUnreachable as problem:
        warn(f"it is kept, and reported when the peer is on-line next: {problem}")
    return False
