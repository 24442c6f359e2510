"""Arguments and trouble, apart from any particular command."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from triplewire.cli.invocation import Job, ManyPathsJob, Question, repeat_flags
from triplewire.cli.screen import printable
from triplewire.errors import InputError, SyntaxProblem

FLAGS = {"--events", "-e"}


@pytest.mark.parametrize(
    ("given", "expanded"),
    [
        ("--events a", "--events a"),
        ("--events a b c", "--events a --events b --events c"),
        ("--events a --events b", "--events a --events b"),
        ("--events=a b", "--events=a --events b"),
        ("-e a - b", "-e a -e - -e b"),
        ("--events a --format json b", "--events a --format json b"),
        ("--events --format json", "--events --format json"),
        ("a b", "a b"),
        ("--events a -- b", "--events a -- b"),
    ],
)
def test_one_flag_takes_several_values(given, expanded):
    assert list(repeat_flags(given.split(), FLAGS)) == expanded.split()


def app_that_raises(problem: BaseException, kind: type[Job]) -> typer.Typer:
    app = typer.Typer()

    @app.command("work", cls=kind)
    def work() -> None:
        raise problem

    @app.command("other")
    def other() -> None: ...

    return app


@pytest.mark.parametrize(
    ("problem", "kind", "code"),
    [
        (InputError("wanted a, found b", source="file.nq"), Job, 1),
        (InputError("wanted a, found b", source="file.nq"), Question, 2),
        (FileNotFoundError(2, "No such file or directory", "file.nq"), Job, 1),
        (SyntaxProblem("wanted a", line=3, column=4, around="abc d", source="file.nq"), ManyPathsJob, 1),
    ],
)
def test_trouble_names_the_file_and_sets_the_exit_code(problem, kind, code):
    result = CliRunner().invoke(app_that_raises(problem, kind), ["work"])
    assert result.exit_code == code
    assert result.stderr.startswith("error: file.nq:")
    assert result.stdout == ""


def test_a_bug_is_one_line_unless_a_traceback_is_asked_for(monkeypatch):
    app = app_that_raises(ZeroDivisionError("oh"), Job)
    assert CliRunner().invoke(app, ["work"]).stderr.startswith("error: a bug in Triplewire: ZeroDivisionError: oh")
    monkeypatch.setenv("TRIPLEWIRE_TRACEBACK", "1")
    assert isinstance(CliRunner().invoke(app, ["work"]).exception, ZeroDivisionError)


def test_an_interrupt_is_quiet():
    result = CliRunner().invoke(app_that_raises(KeyboardInterrupt(), Job), ["work"])
    assert (result.exit_code, result.output) == (130, "")


def test_a_message_cannot_command_the_terminal_or_inject_markup():
    result = CliRunner().invoke(app_that_raises(InputError("\x1b]0;owned\x07 [bold]x[/bold]"), Job), ["work"])
    assert result.stderr == "error: \\x1b]0;owned\\x07 [bold]x[/bold]\n"


def test_printable_keeps_line_ends_and_letters():
    assert printable("é\n\u202eabc") == "é\n\\u202eabc"
