"""`triplewire peer …`: a peer of the network, with a home of its own.

The options before the command say which peer it is: `--home` is its folder, `--at` and `--key` are where a new one
comes in. A home that is there already knows that itself; `move` changes it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from msgspec import Struct

from triplewire.cli.invocation import Job
from triplewire.errors import InputError
from triplewire.rdf.documents import read_document

if TYPE_CHECKING:
    from triplewire.client.peer import Folder
    from triplewire.network.sessions.peer.saved_state import AccessPointInfo

EXAMPLES = """[bold]Examples[/bold]

triplewire peer --home ./alice --at tcp://127.0.0.1:7171 --key KEY init

triplewire peer --home ./alice subscribe alerts/koubarakis.rq

triplewire peer --home ./alice listen

triplewire peer --home ./bob publish today.nq

triplewire peer --home ./alice request http://example.org/event/1 papers/hypercup.pdf

triplewire peer --home ./ann update 'INSERT resource(http://example.org/lo/1) AS INSTANCE OF LearningObject;;'

triplewire peer --home ./alice --at tcp://127.0.0.1:7272 --key OTHER move
"""


class Which(Struct, frozen=True):
    """Which peer a command is about."""

    home: Path
    at: str | None
    key: str | None
    invitation: Path | None = None

    def access_point(self) -> AccessPointInfo:
        """The access point that the options name."""
        from triplewire.network.sessions.identity import key_of_text
        from triplewire.network.sessions.peer.saved_state import AccessPointInfo
        from triplewire.node.transport.addresses import require_address

        if self.at is None or self.key is None:
            raise InputError(wanted="an access point, --at tcp://HOST:PORT and --key KEY", found="none")
        address = require_address(self.at, "an access point")
        return AccessPointInfo(key_of_text(self.key), address, self._shown_invitation())

    def _shown_invitation(self) -> str:
        """It is read from a file: what is on a command line, others on the machine see."""
        if self.invitation is None:
            return ""
        words = read_document(self.invitation).data.decode(errors="replace").split()
        if len(words) != 1:
            raise InputError(wanted="one invitation", found=str(len(words)), source=str(self.invitation))
        return words[0]

    def folder(self) -> Folder:
        """Its home, which is made if it is not there and the options say where it comes in."""
        from triplewire.client.peer import Folder

        if not self.home.exists() and self.at is not None:
            return Folder.make(self.home, self.access_point())
        folder = Folder(self.home)
        if self.at is not None:
            self._check_access_point(folder)
        return folder

    def _check_access_point(self, folder: Folder) -> None:

        access_point, saved = self.access_point(), folder.saved_state()
        if access_point.id != saved.at.id:
            raise InputError(
                wanted=f"the access point where the peer is, {saved.at.address}",
                found=str(self.at),
                hint="move takes it there",
            )
        if self.invitation is not None:
            # The access point may have forgotten the peer, and want another one.
            with folder:
                folder.save(saved.moving_to(access_point))


def which(ctx: typer.Context) -> Which:
    """What the options before the command say."""
    found: Which = ctx.obj
    return found


app = typer.Typer(
    name="peer",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog=EXAMPLES,
    help="Be a peer of the network: subscribe, publish, come and go; keep notifications and a repository in a folder.",
)


@app.callback()
def peer(
    ctx: typer.Context,
    home: Annotated[
        Path, typer.Option("--home", envvar="TRIPLEWIRE_PEER", metavar="DIR", help="The peer's folder.")
    ] = Path("peer"),
    at: Annotated[
        str | None, typer.Option("--at", metavar="tcp://HOST:PORT", help="The access point, for a new home or move.")
    ] = None,
    key: Annotated[
        str | None, typer.Option("--key", metavar="KEY", help="Its public key, learnt by secure means.")
    ] = None,
    invitation: Annotated[
        Path | None,
        typer.Option("--invitation", metavar="FILE", help="A file with its invitation, if it wants one of new peers."),
    ] = None,
) -> None:
    """Be a peer of the network. Its public identifier is for everybody, the key in its folder for nobody else."""
    ctx.obj = Which(home, at, key, invitation)


def add(name: str, command: object, examples: str) -> None:
    """Add a command to the group."""
    app.command(name, cls=Job, epilog=examples)(command)  # type: ignore[type-var]
