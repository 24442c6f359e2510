"""Entries have what the program has: every command, every option, every example."""

from __future__ import annotations

import typer

from triplewire.cli.app import app
from triplewire.cli.manual.entries import Entry, entries

PROGRAM = typer.main.get_command(app)
ENTRIES = {entry.name: entry for entry in entries(PROGRAM)}


def test_the_program_comes_first_and_lists_its_commands():
    first = next(entries(PROGRAM))
    assert first.words == ("triplewire",)
    assert {item.name for item in first.commands} == set(PROGRAM.commands)
    assert "Exit codes" in " ".join(first.notes)


def test_every_command_of_a_group_has_an_entry():
    for entry in ENTRIES.values():
        assert {f"{entry.name} {item.name}" for item in entry.commands} <= set(ENTRIES)


def test_every_option_of_a_command_is_in_its_entry():
    entry = ENTRIES["triplewire match"]
    options = {name for param in PROGRAM.commands["match"].params for name in param.opts}
    assert options == {word.rstrip(",") for item in entry.options for word in item.name.split() if word[0] == "-"} - {
        "--help",
        "-h",
    }


def test_arguments_stand_apart():
    entry = ENTRIES["triplewire covers"]
    assert entry.synopsis.startswith("triplewire covers [OPTIONS] ")
    assert entry.arguments
    assert not {item.name for item in entry.arguments} & {item.name for item in entry.options}


def test_every_command_has_a_purpose_and_an_example_that_calls_it():
    for entry in ENTRIES.values():
        assert entry.purpose
        if not entry.commands:
            assert any(calls(example, entry) for example in entry.examples), entry.name


def calls(example: str, entry: Entry) -> bool:
    """Options of a group may stand between the words."""
    return "triplewire" in example and all(word in example.split() for word in entry.words[1:])
