"""`pipeline stream`: calls that cannot be meant, and who is shown which secret. None of them starts Spark."""

from __future__ import annotations

import pytest

from triplewire.cli.pipeline.stream import _receiver

A, B = "http://127.0.0.1:1", "http://127.0.0.1:2"


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "found none"),
        (["--events", "in", "--from-node", A], "found --events and --from-node"),
        (["--kafka", "host:9092"], "found --kafka alone"),
        (["--events", "in", "--changes"], "found --changes alone"),
        (["--events", "in", "--to-topic", "alerts"], "found --to-topic alone"),
    ],
)
def test_a_call_that_names_no_source_or_half_of_one_is_wrong(run, flags, words):
    result = run("pipeline", "stream", "-s", "alerts", "-o", "lake", *flags)
    assert result.exit_code == 2
    assert words in " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--events", "in", "--jars", "."], "wanted a folder with jars"),
        (["--events", "in", "--assemble", "--gap", "soon"], "wanted an interval"),
        (["--from-node", A, "--assemble"], "its events are whole"),
        (["--from-node", "ftp://host"], "wanted a node's address"),
        (["--events", "in", "--kafka-option", "novalue"], "--kafka-option wants KEY=VALUE"),
    ],
)
def test_what_cannot_work_is_told_before_spark_is_started(run, workspace, flags, words):
    result = run("pipeline", "stream", "-s", "alerts", "-o", "lake", *flags)
    assert result.exit_code == 1
    assert words in result.output
    assert not (workspace / "lake").exists()


def test_a_secret_for_one_node_is_not_shown_to_another(monkeypatch, tmp_path):
    monkeypatch.setenv("TRIPLEWIRE_SECRET", "for-a")
    (tmp_path / "secret").write_text("for-b\n")

    def shown(to_node: str, from_node: str | None, file=None) -> str | None:
        with _receiver(to_node, from_node, None, file) as client:
            return client._http.headers.get("authorization")

    assert shown(A, A) == shown(A, None) == "Bearer for-a"
    assert shown(B, A) is None
    assert shown(B, A, tmp_path / "secret") == "Bearer for-b"
