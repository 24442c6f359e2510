"""`triplewire covers ADVERTISEMENT... SUBSCRIPTION`: can what a peer advertises satisfy the subscription?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.algebra.advertisements.advertisement import Advertisement
from triplewire.algebra.advertisements.supply import supply_of
from triplewire.algebra.reasoning.covering import explain_supplied
from triplewire.cli.inputs import TaxonomyPath, read_one_subscription, read_taxonomy
from triplewire.cli.verdicts import answer

EXAMPLES = """[bold]Examples[/bold]

triplewire covers peer.ttl alerts/koubarakis.rq

An advertisement names schemas, properties, or properties with their values:

  @prefix tw: <urn:triplewire:> .  @prefix dc: <http://purl.org/dc/elements/1.1/> .
  \\[] a tw:ValueAdvertisement ;
      tw:offers \\[ tw:property dc:creator ; tw:value "W. Nejdl" ] ,
                \\[ tw:property dc:date ; tw:value \\[ tw:atLeast 2002 ] ] .
"""


def covers_command(
    advertisements: Annotated[
        list[Path], typer.Argument(metavar="ADVERTISEMENT", help="RDF files with what one peer advertises.")
    ],
    subscription: Annotated[Path, typer.Argument(metavar="SUBSCRIPTION", help="A file with one subscription.")],
    taxonomy: TaxonomyPath = None,
) -> None:
    """Say whether what a peer advertises can satisfy the subscription.

    A file is what the peer registers at once; what it registers in several files is read together.

    Exits with 0 for yes, 1 for no, and 2 if something could not be read.
    """
    offered = [supply_of(Advertisement.parse_all(file)) for file in advertisements]
    answer(explain_supplied(offered, read_one_subscription(subscription), read_taxonomy(taxonomy)))
