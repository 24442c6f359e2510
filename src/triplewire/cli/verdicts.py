"""How a question is answered: one sentence, and the exit code."""

from __future__ import annotations

import typer

from triplewire.algebra.verdicts import Verdict
from triplewire.cli.invocation import NO
from triplewire.cli.names import shortened
from triplewire.cli.screen import output, plain


def answer(verdict: Verdict) -> None:
    """Say yes or no, and why; leave with 1 for no."""
    output().print(plain(sentence(verdict)), soft_wrap=True)
    if not verdict.holds:
        raise typer.Exit(NO)


def sentence(verdict: Verdict) -> str:
    """One line, with IRIs shortened."""
    return f"{'yes' if verdict.holds else 'no'}: {shortened(verdict.reason)}"
