"""`triplewire generate` makes what `triplewire match` reads, the same for the same seed."""

from __future__ import annotations

import gzip


def test_the_same_seed_makes_the_same_files(run, workspace):
    for name in ("a", "b"):
        done = run("generate", "--out", name, "--events", "50", "--subscriptions", "20", "--files", "3", "--seed", "4")
        assert done.exit_code == 0, done.stderr
    files = sorted(path.relative_to(workspace / "a") for path in (workspace / "a").rglob("*") if path.is_file())
    assert [str(path) for path in files][-2:] == ["subscriptions.jsonl", "taxonomy.ttl"]
    assert all((workspace / "a" / path).read_bytes() == (workspace / "b" / path).read_bytes() for path in files)
    text = b"".join(path.read_bytes() for path in sorted((workspace / "a" / "events").iterdir()))
    assert text.count(b"\n\n") == 50


def test_what_it_makes_can_be_matched(run, workspace):
    run("generate", "--out", "a", "--events", "20", "--subscriptions", "20", "--files", "1")
    done = run("match", "-s", "a/subscriptions.jsonl", "-e", "a/events", "-t", "a/taxonomy.ttl", "--format", "json")
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("\n") > 5


def test_compressed(run, workspace):
    run("generate", "--out", "a", "--events", "5", "--subscriptions", "5", "--files", "1", "--compress")
    [path] = (workspace / "a" / "events").iterdir()
    assert gzip.decompress(path.read_bytes()).count(b"\n\n") == 5


def test_a_folder_that_holds_something_is_left_alone(run, workspace):
    done = run("generate", "--out", ".")
    assert (done.exit_code, "new or empty" in done.stderr) == (1, True)
