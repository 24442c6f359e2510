"""Snapshots: what was saved is what is opened, by many processes at once; and what is damaged is refused by name."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.matching.segments.living import found

from triplewire.algebra.subscriptions import Subscription
from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import SnapshotError, UnknownSubscription
from triplewire.matching import Matcher
from triplewire.rdf.events import Event

TEXTS = {
    "range": "SELECT ?s { ?s <urn:value> ?v FILTER(?v > 3) }",
    "constant": "SELECT ?v { <urn:s> <urn:value> ?v }",
    "text": "ASK { ?s <urn:name> ?n FILTER(CONTAINS(?n, 'ire')) }",
    "made": "CONSTRUCT { ?s <urn:is> ?v } { ?s <urn:value> ?v }",
    "class": "PREFIX tw: <urn:triplewire:> SELECT ?s { ?s <urn:name> ?n FILTER(tw:isA(?s, <urn:Thing>)) }",
    "general": "SELECT ?s ?x { ?s <urn:value> ?v OPTIONAL { ?s <urn:absent> ?x } }",
    "other": "SELECT ?s { ?s <urn:unheard> ?v }",
}
LINES = """<urn:s> <urn:value> "5"^^<http://www.w3.org/2001/XMLSchema#integer> <urn:e> .
<urn:s> <urn:name> "tripwire" <urn:e> .
"""
(EVENT,) = Event.parse(LINES)
TAXONOMY = Taxonomy.parse(
    "<urn:s> a <urn:Part> . <urn:Part> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:Thing> ."
)


def filled() -> Matcher:
    matcher = Matcher(TAXONOMY)
    for name, text in TEXTS.items():
        matcher.add(Subscription.parse(text, id=name, owner="ann" if name == "text" else None))
    return matcher


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("saved") / "snapshot"
    filled().save(folder)
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.fixture
def folder(pristine: dict[str, bytes], tmp_path: Path) -> Path:
    """A snapshot that a test may damage."""
    place = tmp_path / "snapshot"
    place.mkdir()
    for name, data in pristine.items():
        (place / name).write_bytes(data)
    return place


def refused(folder: Path) -> str:
    with pytest.raises(SnapshotError) as caught:
        Matcher.open(folder)
    return str(caught.value)


def test_what_was_saved_is_what_is_opened(folder: Path) -> None:
    saved, opened = filled(), Matcher.open(folder, TAXONOMY)
    assert opened.subscriptions == saved.subscriptions
    assert found(opened.match(EVENT)) == found(saved.match(EVENT))
    assert [m.construct for m in opened.match(EVENT)] == [m.construct for m in saved.match(EVENT)]
    assert list(found(opened.match(EVENT))) == ["range", "constant", "text", "made", "class", "general"]


def test_an_opened_matcher_goes_on(folder: Path) -> None:
    opened = Matcher.open(folder, TAXONOMY)
    opened.remove("range")
    opened.add(Subscription.parse(TEXTS["range"], id="again"))
    opened.add(Subscription.parse(TEXTS["constant"], id="constant"))
    assert [s.id for s in opened.subscriptions][-1] == "again"
    assert "range" not in found(opened.match(EVENT))
    assert "again" in found(opened.match(EVENT))
    opened.save(folder)
    assert found(Matcher.open(folder, TAXONOMY).match(EVENT)) == found(opened.match(EVENT))


def test_nothing_subscribed_is_a_snapshot_too(tmp_path: Path) -> None:
    Matcher().save(tmp_path / "empty")
    opened = Matcher.open(tmp_path / "empty")
    assert len(opened) == 0
    assert opened.match(EVENT) == []


def test_what_was_removed_before_saving_is_not_in_it(tmp_path: Path) -> None:
    matcher = filled()
    matcher.match(EVENT)
    for name in TEXTS:
        if name != "text":
            matcher.remove(name)
    matcher.save(tmp_path / "one")
    assert [s.id for s in Matcher.open(tmp_path / "one").subscriptions] == ["text"]


def test_the_taxonomys_version_is_recorded(pristine: dict[str, bytes]) -> None:
    assert json.loads(pristine["manifest.json"])["manifest"]["taxonomy"] == TAXONOMY.version


def places(data: bytes) -> Iterator[int]:
    """Some bytes of a file: at its start, in the middle, and the last."""
    yield from sorted({0, 7, len(data) // 2, len(data) - 1})


def test_a_flipped_bit_is_noticed_in_each_file(folder: Path, pristine: dict[str, bytes]) -> None:
    assert len(pristine) > 30
    for name, data in pristine.items():
        for place in places(data):
            damaged = bytearray(data)
            damaged[place] ^= 1
            (folder / name).write_bytes(damaged)
            assert name in refused(folder), f"byte {place}"
        (folder / name).write_bytes(data)
    Matcher.open(folder)


def test_every_byte_of_the_manifest_counts(folder: Path, pristine: dict[str, bytes]) -> None:
    data = pristine["manifest.json"]
    for place in range(0, len(data), 11):
        damaged = bytearray(data)
        damaged[place] ^= 2
        (folder / "manifest.json").write_bytes(damaged)
        assert "manifest.json" in refused(folder), f"byte {place}"


def test_a_truncated_file_is_noticed(folder: Path, pristine: dict[str, bytes]) -> None:
    for name, data in pristine.items():
        for length in (0, 5, len(data) // 2, len(data) - 1):
            (folder / name).write_bytes(data[:length])
            assert name in refused(folder), f"{length} bytes"
        (folder / name).write_bytes(data)


def test_a_missing_file_is_named(folder: Path, pristine: dict[str, bytes]) -> None:
    for name, data in pristine.items():
        (folder / name).unlink()
        assert name in refused(folder)
        (folder / name).write_bytes(data)


def test_an_array_of_another_type_is_noticed(folder: Path) -> None:
    path = folder / "records.serials.npy"
    np.save(path, np.load(path).view(np.uint64))
    assert "records.serials.npy" in refused(folder)


def test_a_newer_format_is_refused_by_its_number(folder: Path) -> None:
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 99}))
    assert "found format 99" in refused(folder)


@pytest.mark.parametrize("content", [b"[]", b"{}", b"\xff\xfe", b"not json", b'{"format": "1"}'])
def test_a_manifest_that_is_none(folder: Path, content: bytes) -> None:
    (folder / "manifest.json").write_bytes(content)
    assert "manifest.json" in refused(folder)


def test_what_is_no_snapshot_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("hello")
    for place in (tmp_path / "nowhere", tmp_path, tmp_path / "file"):
        message = refused(place)
        assert str(place) in message
        assert "wanted the folder of a snapshot" in message


def test_what_is_no_snapshot_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("dear")
    (tmp_path / "file").write_text("hello")
    for place in (tmp_path / "letters", tmp_path / "file"):
        with pytest.raises(SnapshotError, match="found something else"):
            filled().save(place)
    assert (tmp_path / "letters" / "dear.txt").read_text() == "dear"
    assert (tmp_path / "file").read_text() == "hello"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "letters"]


def test_who_has_opened_a_snapshot_keeps_it_when_another_takes_its_place(folder: Path) -> None:
    opened = Matcher.open(folder, TAXONOMY)
    Matcher().save(folder)
    assert list(found(opened.match(EVENT))) == ["range", "constant", "text", "made", "class", "general"]
    assert len(Matcher.open(folder)) == 0
    assert [path.name for path in folder.parent.iterdir()] == ["snapshot"]


READER = """
import sys
from triplewire import Event, Matcher
matcher = Matcher.open(sys.argv[1])
(event,) = Event.parse(sys.argv[2])
for line in sys.stdin:
    if line.startswith("remove "):
        matcher.remove(line.split()[1])
    print(" ".join(match.subscription_id for match in matcher.match(event)), flush=True)
"""


def test_processes_share_a_snapshot_and_a_removal_stays_in_its_own(folder: Path) -> None:
    def start() -> subprocess.Popen:
        arguments = [sys.executable, "-c", READER, str(folder), LINES]
        return subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(reader: subprocess.Popen, line: str) -> str:
        reader.stdin.write(line + "\n")
        reader.stdin.flush()
        return reader.stdout.readline().strip()

    with start() as one, start() as two:
        assert ask(one, "match") == ask(two, "match") == "range constant text made general"
        assert ask(one, "remove text") == "range constant made general"
        assert ask(two, "match") == "range constant text made general"
        mapped = Path(f"/proc/{two.pid}/maps")
        if mapped.exists():
            assert str(folder / "records.code.npy") in mapped.read_text()
        one.stdin.close()
        two.stdin.close()
    assert "text" in Matcher.open(folder)


def test_removing_what_the_snapshot_lacks(folder: Path) -> None:
    with pytest.raises(UnknownSubscription):
        Matcher.open(folder).remove("nobody")
