"""What every command does with arguments and errors.

Exit codes: 0 fine, 1 the work failed, 2 the call was wrong. A command that answers a question needs 1 for "no", so
there whatever keeps it from answering is 2. Interrupted is 130, a reader that went away 141, as shells count signals.

Commands import what an extra brings when they run: all of them start without it, and one that lacks it says which.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup

from triplewire.cli.screen import complain
from triplewire.errors import InputError, NodeRefused, NodeUnreachable, TriplewireError
from triplewire.extras import needing

NODE_VARIABLE, SECRET_VARIABLE = "TRIPLEWIRE_NODE", "TRIPLEWIRE_SECRET"
_UNAUTHENTICATED = 401

NO = 1
FAILED = 1
UNANSWERED = 2
WRONG_CALL = 2
INTERRUPTED = 130
READER_GONE = 141


class _Work:
    """Trouble becomes one message on standard error and an exit code."""

    on_trouble: ClassVar[int] = FAILED

    def invoke(self, ctx: Any) -> Any:
        try:
            with needing():
                result = super().invoke(ctx)  # type: ignore[misc]
            sys.stdout.flush()
        except (typer.Exit, typer.Abort, typer.BadParameter):
            raise
        except KeyboardInterrupt:
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            _forget_stdout()
            raise typer.Exit(READER_GONE) from None
        except (TriplewireError, OSError) as problem:
            complain(described(problem))
            raise typer.Exit(self.on_trouble) from None
        except Exception as bug:
            if "TRIPLEWIRE_TRACEBACK" in os.environ:
                raise
            complain(f"a bug in Triplewire: {type(bug).__name__}: {bug}; TRIPLEWIRE_TRACEBACK=1 shows where")
            raise typer.Exit(self.on_trouble) from None
        return result


class Job(_Work, TyperCommand):
    """A command that does work."""


class JobGroup(_Work, TyperGroup):
    """A group that does work itself, when it is called without one of its commands."""


class ManyPathsJob(Job):
    """A job whose repeatable options take several values after one flag, as in `--events a.nq b.nq`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        repeatable = {name for param in self.params if getattr(param, "multiple", False) for name in param.opts}
        return super().parse_args(ctx, list(repeat_flags(args, repeatable)))


class Question(Job):
    """A command that answers yes (0) or no (1)."""

    on_trouble: ClassVar[int] = UNANSWERED


def repeat_flags(args: Iterable[str], repeatable: set[str]) -> Iterator[str]:
    """Give each value of a repeatable flag its own flag.

    >>> list(repeat_flags(["--events", "a", "b", "--format", "json"], {"--events"}))
    ['--events', 'a', '--events', 'b', '--format', 'json']
    """
    flag, values = "", 0
    for arg in args:
        if arg.startswith("-") and arg != "-":
            name = arg.partition("=")[0]
            flag, values = (name, int("=" in arg)) if name in repeatable else ("", 0)
        elif flag:
            if values:
                yield flag
            values += 1
        yield arg


def text_of(given: str, *suffixes: str) -> str:
    """What an argument says: itself, standard input for `-`, or what is in the file that it names by its suffix."""
    if given != "-" and not given.endswith(suffixes):
        return given
    source = "standard input" if given == "-" else given
    content = sys.stdin.buffer.read() if given == "-" else Path(given).read_bytes()
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise InputError(wanted="UTF-8", found=f"the byte 0x{content[error.start]:02X}", source=source) from None


def described(problem: TriplewireError | OSError) -> str:
    """The sentence for an error; the system's errors name the file first, as ours do."""
    if not isinstance(problem, OSError):
        return f"{problem}{_hint(problem)}"
    reason = problem.strerror or str(problem)
    return reason if problem.filename is None else f"{os.fsdecode(problem.filename)}: {reason}"


def _hint(problem: TriplewireError) -> str:
    """What to turn, where the error itself cannot know how the program was called."""
    if isinstance(problem, NodeUnreachable):
        return f"; --node or ${NODE_VARIABLE} names another"
    if isinstance(problem, NodeRefused) and problem.status == _UNAUTHENTICATED:
        return f"; --secret-file or ${SECRET_VARIABLE} gives the client's secret"
    return ""


def _forget_stdout() -> None:
    """Keep the interpreter from complaining, when it ends, about output that nobody reads."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
