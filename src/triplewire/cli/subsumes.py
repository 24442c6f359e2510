"""`triplewire subsumes A B`: is every answer of B, over any event, an answer of A?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from triplewire.algebra.reasoning.subsumption import explain_subsumes
from triplewire.cli.inputs import TaxonomyPath, read_one_subscription, read_taxonomy
from triplewire.cli.verdicts import answer

EXAMPLES = """[bold]Examples[/bold]

triplewire subsumes broad.formula narrow.formula

triplewire subsumes all.rq some.rq && echo "some.rq is redundant"
"""


def subsumes_command(
    a: Annotated[Path, typer.Argument(metavar="A", help="The wider one: a file with one subscription.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The narrower one.")],
    taxonomy: TaxonomyPath = None,
) -> None:
    """Say whether every answer of B, over any event, is an answer of A.

    Exits with 0 for yes, 1 for no, and 2 if something could not be read.
    Yes is always right; no is exact for formulas.
    Elsewhere, no may also mean that no proof was found.
    """
    answer(explain_subsumes(read_one_subscription(a), read_one_subscription(b), read_taxonomy(taxonomy)))
