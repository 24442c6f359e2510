"""Events stay whole wherever a file is cut, and bad input becomes rejects with file and line."""

from __future__ import annotations

import errno
import gzip
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from triplewire.errors import InputError, PipelineError
from triplewire.matching.scanning.event_limits import within
from triplewire.matching.scanning.scanner import scan
from triplewire.pipeline.sources import chunks as chunking
from triplewire.pipeline.sources.chunk_rows import event_rows, rejects_of
from triplewire.pipeline.sources.files import find_files, source_file
from triplewire.pipeline.sources.options import DEFAULT_READ_OPTIONS, ReadOptions
from triplewire.pipeline.sources.split_reader import Reject, read_split
from triplewire.pipeline.sources.splits import splits_of

LINE = '<urn:s> <urn:p{}> "{}" <urn:e{}> .\n'


def read(
    path: Path, size: int = 1 << 30, options: ReadOptions = DEFAULT_READ_OPTIONS
) -> tuple[list[tuple[str, bytes]], list[Reject]]:
    events, rejects = [], []
    for split in splits_of(source_file(path, options), size):
        for piece in read_split(split):
            if isinstance(piece, Reject):
                rejects.append(piece)
                continue
            scanned = within(scan(piece.chunk.data), split.options.limits)
            rows = event_rows(scanned, split)
            events += zip(rows["event"].to_pylist(), rows["payload"].to_pylist(), strict=True)
            rejects += rejects_of(piece, scanned)
    return events, rejects


EVENTS = st.lists(st.integers(1, 6), min_size=1, max_size=30)
SEPARATORS = st.sampled_from(["", "\n", "# a comment <urn:e0> .\n", "\r\n\n"])


@settings(max_examples=60)
@given(sizes=EVENTS, separator=SEPARATORS, size=st.integers(1, 400), broken=st.sets(st.integers(0, 60), max_size=3))
def test_events_stay_whole_wherever_a_file_is_cut(tmp_path_factory, sizes, separator, size, broken):
    lines = []
    for event, quads in enumerate(sizes):
        lines += [LINE.format(quad, "x" * (event % 7), event) for quad in range(quads)] + [separator]
    lines = ["this is no quad\n" if place in broken and line else line for place, line in enumerate(lines)]
    path = tmp_path_factory.mktemp("cut") / "events.nq"
    path.write_text("".join(lines), newline="")
    whole, bad = read(path)
    cut, bad_too = read(path, size)
    assert cut == whole
    assert [(r.line, r.event) for r in bad_too] == [(r.line, r.event) for r in bad]


@pytest.mark.parametrize("block", [64, 200, 1000])
def test_events_stay_whole_wherever_a_block_ends(tmp_path, monkeypatch, block):
    path = tmp_path / "events.nq"
    path.write_text("".join(LINE.format(quad, "x", event) for event in range(20) for quad in range(3)))
    whole, _ = read(path)
    monkeypatch.setattr(chunking, "BLOCK", block)
    assert read(path)[0] == whole


@pytest.mark.parametrize("suffix", [".nq", ".nq.gz", ".nq.zst"])
def test_compressed_files_say_the_same(tmp_path, suffix):
    text = "".join(LINE.format(quad, "x", event) for event in range(50) for quad in range(3)).encode()
    path = tmp_path / f"events{suffix}"
    with pa.output_stream(str(path), compression={".gz": "gzip", ".zst": "zstd"}.get(path.suffix)) as file:
        file.write(text)
    events, rejects = read(path)
    assert (len(events), rejects) == (50, [])


@pytest.mark.parametrize(
    ("suffix", "text"),
    [
        (".ttl", "<urn:s> <urn:p> 1 ."),
        (".nt", "<urn:s> <urn:p> <urn:o> ."),
        (".trig", "<urn:e> { <urn:s> <urn:p> 1 }"),
        (".jsonld", '{"@id": "urn:s", "urn:p": {"@id": "urn:o"}}'),
        (".rdf", '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:u="urn:">'
                 '<rdf:Description rdf:about="urn:s"><u:p>1</u:p></rdf:Description></rdf:RDF>'),
    ],
)  # fmt: skip
@pytest.mark.parametrize("zipped", [False, True])
def test_every_format_is_read(tmp_path, suffix, text, zipped):
    path = tmp_path / f"one{suffix}{'.gz' if zipped else ''}"
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    events, rejects = read(path)
    assert (len(events), rejects) == (1, [])


def test_a_truncated_gzip_gives_what_was_whole_and_one_reject(tmp_path):
    text = "".join(LINE.format(quad, "x" * 50, event) for event in range(20_000) for quad in range(3)).encode()
    path = tmp_path / "cut.nq.gz"
    path.write_bytes(gzip.compress(text, 1)[:-20_000])
    events, rejects = read(path)
    assert all(payload.count(b"\n") == 3 for _, payload in events)
    assert len(rejects) == 1
    assert (rejects[0].file, "cannot be read beyond this line" in rejects[0].reason) == (str(path), True)


def test_a_truncated_document_is_a_reject(tmp_path):
    path = tmp_path / "cut.ttl.gz"
    path.write_bytes(gzip.compress(b"<urn:s> <urn:p> 1 ." * 1000)[:-10])
    assert [r.file for r in read(path)[1]] == [str(path)]


def test_a_line_that_is_not_utf8_is_a_reject_and_the_rest_goes_on(tmp_path):
    path = tmp_path / "latin.nq"
    path.write_bytes(LINE.format(1, "é", 1).encode("latin-1") + LINE.format(1, "e", 2).encode())
    events, rejects = read(path)
    assert [name for name, _ in events] == ["urn:e2"]
    assert [(r.line, r.event) for r in rejects] == [(1, "urn:e1")]


def test_a_bad_document_is_a_reject_with_its_line(tmp_path):
    path = tmp_path / "bad.ttl"
    path.write_text("<urn:s> <urn:p> 1 .\n<urn:s> <urn:p> nonsense .\n")
    assert [(r.file, r.line) for r in read(path)[1]] == [(str(path), 2)]


def test_an_event_beyond_its_limit_is_dropped_as_it_is_read(tmp_path):
    path = tmp_path / "large.nq"
    large = "".join(LINE.format(quad, "x" * 1000, 2) for quad in range(9_000))
    path.write_text(LINE.format(1, "x", 1) + large + LINE.format(1, "x", 3))
    events, rejects = read(path)
    assert [name for name, _ in events] == ["urn:e1", "urn:e3"]
    assert [(r.line, r.event) for r in rejects] == [(2, "urn:e2")]


def test_an_empty_file_has_no_events(tmp_path):
    path = tmp_path / "empty.nq"
    path.touch()
    assert read(path) == ([], [])


class _Disk:
    """A disk that fails after the first block."""

    def __init__(self) -> None:
        self.blocks = [LINE.format(1, "x", 1).encode()]

    def read(self, size: int, /) -> bytes:
        if not self.blocks:
            raise OSError(errno.EIO, "Input/output error")
        return self.blocks.pop()


class TestFilesThatCannotBeRead:
    """They fail the task, so that Spark tries again: nothing is wrong with what is in them."""

    @pytest.mark.parametrize("name", ["gone.nq", "gone.nq.gz", "gone.ttl", "gone.ttl.zst"])
    def test_a_listed_file_that_is_not_here(self, tmp_path, name):
        (tmp_path / name).write_bytes(b"x" * 100)
        listed = source_file(tmp_path / name)
        (tmp_path / name).unlink()
        [split] = splits_of(listed, 1 << 30)
        with pytest.raises(PipelineError, match=rf"{name}: wanted a file that every worker can read.*No such file"):
            list(read_split(split))

    def test_a_disk_that_fails_amid_the_file(self):
        with pytest.raises(OSError, match="Input/output error"):
            list(chunking.chunks(_Disk()))


class TestFindingFiles:
    def test_globs_and_folders_at_any_depth(self, tmp_path):
        (tmp_path / "a" / "b").mkdir(parents=True)
        for name in ("a/1.nq", "a/b/2.ttl.gz", "a/.hidden.nq", "a/_work.nq", "a/notes.txt"):
            (tmp_path / name).touch()
        found = [Path(file.path).name for file in find_files([str(tmp_path / "a")])]
        assert found == ["1.nq", "2.ttl.gz"]
        assert len(find_files([str(tmp_path / "a" / "*.nq"), str(tmp_path / "a" / "1.nq")])) >= 1

    @pytest.mark.parametrize("name", ["missing.nq", "missing/", "*.nq", "empty"])
    def test_what_names_nothing_is_an_error(self, tmp_path, name):
        (tmp_path / "empty").mkdir()
        with pytest.raises(InputError, match="found no"):
            find_files([str(tmp_path / name)])


LARGE = ReadOptions(event_bytes=32 << 20, event_quads=100_000)


@pytest.mark.parametrize("name", ["large.nq", "large.nq.gz", "large.nt"])
@pytest.mark.parametrize("size", [1 << 30, 1 << 20])
def test_an_event_beyond_the_usual_limits_stays_whole_where_it_is_allowed(tmp_path, name, size):
    graph = "" if name.endswith(".nt") else " <urn:large>"
    lines = [f'<urn:s> <urn:p> "{"x" * 900}{n}"{graph} .\n' for n in range(20_000)]
    text = "".join(lines if not graph else [LINE.format(1, "before", 1), *lines, LINE.format(1, "after", 2)])
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    events, rejects = read(path, size, LARGE)
    assert rejects == []
    assert [payload.count(b"\n") for _, payload in events] == ([20_000] if not graph else [1, 20_000, 1])
    _, refused = read(path, size)
    assert any("event too large" in reject.reason or "too many quads" in reject.reason for reject in refused)


def test_a_base_and_contexts_count_in_every_file(tmp_path):
    (tmp_path / "people.jsonld").write_text('{"@context": {"name": "urn:name"}}')
    (tmp_path / "map").write_text('{"https://example.org/people": "people.jsonld"}')
    path = tmp_path / "ann.jsonld"
    path.write_text('{"@context": "https://example.org/people", "@id": "ann", "name": "Ann"}')
    _, [refused] = read(path)
    assert "remote JSON-LD contexts are refused" in refused.reason
    for base, subject in ((None, (tmp_path / "ann").as_uri()), ("http://example.org/", "http://example.org/ann")):
        [(_, payload)], rejects = read(path, options=ReadOptions(contexts=str(tmp_path / "map"), base=base))
        assert rejects == []
        assert payload.startswith(f'<{subject}> <urn:name> "Ann"'.encode())
