"""Subscriptions from files: what is read, and what is said about what is not."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from triplewire.algebra.subscriptions import Subscription
from triplewire.errors import InputError, SyntaxProblem
from triplewire.languages.files import BadEntry, load_subscriptions, read_subscriptions

GRAPH = "?x a ?y\n"
FORMULA = "X: t(X, <urn:p>, Y)\n"
PAPERS = Path(__file__).parents[2] / "examples/papers/subscriptions"


def write_lines(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def write_table(path: Path, **columns: list[object]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def record(name: str, **changes: object) -> dict[str, object]:
    return {"id": name, "language": "graph", "text": GRAPH} | changes


def only_bad(*paths: Path) -> BadEntry:
    good, bad = read_subscriptions(paths)
    assert good == []
    assert len(bad) == 1
    return bad[0]


class TestSingleFiles:
    def test_the_suffix_tells_the_language_and_the_name_is_the_id(self, tmp_path: Path) -> None:
        (tmp_path / "one.graph").write_text(GRAPH)
        (tmp_path / "two.v2.formula").write_text(FORMULA)
        (subscription, other) = load_subscriptions([tmp_path / "one.graph", str(tmp_path / "two.v2.formula")])
        assert (subscription.id, subscription.language, subscription.text) == ("one", "graph", GRAPH)
        assert (other.id, other.language) == ("two.v2", "formula")

    def test_a_byte_order_mark_is_dropped(self, tmp_path: Path) -> None:
        path = tmp_path / "one.graph"
        path.write_bytes(b"\xef\xbb\xbf" + GRAPH.encode())
        assert load_subscriptions([path])[0].text == GRAPH

    def test_a_name_that_is_no_unicode_is_no_id(self, tmp_path: Path) -> None:
        path = tmp_path / os.fsdecode(b"\xfe.graph")
        path.write_text(GRAPH)
        assert "wanted Unicode text as the identifier" in only_bad(path).error.message

    def test_a_syntax_error_names_file_line_and_column(self, tmp_path: Path) -> None:
        path = tmp_path / "bad.graph"
        path.write_text("?x a ?y\n?x\n")
        bad = only_bad(path)
        assert str(bad).startswith(f"{path}:2:3: wanted a predicate")
        assert bad.source == str(path)

    def test_not_utf_8(self, tmp_path: Path) -> None:
        path = tmp_path / "bad.graph"
        path.write_bytes(b"?x a ?y\n?x a \xff\n")
        assert str(only_bad(path)).startswith(f"{path}:2:6: wanted UTF-8, found the byte 0xFF")

    def test_empty(self, tmp_path: Path) -> None:
        path = tmp_path / "empty.graph"
        path.write_text("")
        assert str(only_bad(path)) == f"{path}:1:1: wanted at least one edge: subject predicate object, found none"

    def test_too_large(self, tmp_path: Path) -> None:
        path = tmp_path / "large.graph"
        path.write_text("#" * (2 << 20))
        assert "wanted at most 1,048,576 bytes" in str(only_bad(path))

    def test_missing(self, tmp_path: Path) -> None:
        path = tmp_path / "none.graph"
        assert str(only_bad(path)) == f"{path}: wanted a file or a folder of subscriptions, found nothing"

    def test_another_suffix(self, tmp_path: Path) -> None:
        path = tmp_path / "notes.txt"
        path.write_text("hello")
        message = str(only_bad(path))
        assert message.startswith(f"{path}: wanted a folder, or a file that ends in one of ")
        assert all(suffix in message for suffix in (".formula", ".graph", ".jsonl", ".parquet", "'notes.txt'"))

    def test_unreadable(self, tmp_path: Path) -> None:
        path = tmp_path / "loop.graph"
        path.symlink_to(path)
        assert str(only_bad(path)).startswith(f"{path}: ")


class TestTables:
    def rows(self, *names: str) -> str:
        return "".join(f'{{"id": "{name}", "language": "graph", "text": "?x a ?y"}}\n' for name in names)

    def test_all_files_at_any_depth_but_the_writers_own(self, tmp_path: Path) -> None:
        for name in (
            "day=2/part-0.jsonl",
            "day=1/part-0.jsonl",
            "_temporary/part-1.jsonl",
            ".hidden.jsonl",
            "_SUCCESS",
        ):
            (tmp_path / name).parent.mkdir(exist_ok=True)
            (tmp_path / name).write_text(self.rows(name.replace("/", "-")))
        assert [s.id for s in load_subscriptions([tmp_path])] == ["day=1-part-0.jsonl", "day=2-part-0.jsonl"]

    def test_a_folder_with_files_of_one_subscription_is_no_table(self, tmp_path: Path) -> None:
        (tmp_path / "a.graph").write_text(GRAPH)
        (tmp_path / "b.jsonl").write_text(self.rows("b"))
        assert [s.id for s in load_subscriptions([tmp_path])] == ["a"]

    def test_a_delta_table_is_not_guessed_from_its_files(self, tmp_path: Path) -> None:
        (tmp_path / "_delta_log").mkdir()
        (tmp_path / "part-0.jsonl").write_text(self.rows("a"))
        with pytest.raises(InputError, match="found a Delta table"):
            load_subscriptions([tmp_path])


class TestFolders:
    def test_files_by_name_others_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / "b.graph").write_text(GRAPH)
        (tmp_path / "a.formula").write_text(FORMULA)
        (tmp_path / "README.md").write_text("about these")
        (tmp_path / "deeper.graph").mkdir()
        assert [s.id for s in load_subscriptions([tmp_path])] == ["a", "b"]

    def test_without_subscriptions(self, tmp_path: Path) -> None:
        assert str(only_bad(tmp_path)).startswith(f"{tmp_path}: wanted files that end in one of")

    def test_one_name_with_two_suffixes_is_an_error_that_names_both(self, tmp_path: Path) -> None:
        (tmp_path / "a.formula").write_text(FORMULA)
        (tmp_path / "a.graph").write_text(GRAPH)
        good, (bad,) = read_subscriptions([tmp_path])
        assert [s.language for s in good] == ["formula"]
        assert str(bad) == (
            f"{tmp_path / 'a.graph'}: wanted each identifier once, found 'a' again; {tmp_path / 'a.formula'} has it"
        )

    def test_the_good_ones_are_read_in_spite_of_the_bad_ones(self, tmp_path: Path) -> None:
        (tmp_path / "a.graph").write_text("?x")
        (tmp_path / "b.graph").write_text(GRAPH)
        (tmp_path / "c.formula").write_text("X:")
        good, bad = read_subscriptions([tmp_path])
        assert [s.id for s in good] == ["b"]
        assert [Path(entry.source).name for entry in bad] == ["a.graph", "c.formula"]

    def test_strictly_the_first_error_is_raised(self, tmp_path: Path) -> None:
        (tmp_path / "a.graph").write_text(GRAPH)
        (tmp_path / "b.graph").write_text("?x")
        with pytest.raises(SyntaxProblem, match=r"b\.graph"):
            load_subscriptions([tmp_path])


class TestJsonLines:
    def test_id_language_text_and_perhaps_owner(self, tmp_path: Path) -> None:
        path = write_lines(
            tmp_path / "many.jsonl", record("a"), record("b", language="formula", text=FORMULA, owner="Bob", more=1)
        )
        assert load_subscriptions([path]) == [
            Subscription.parse(GRAPH, language="graph", id="a"),
            Subscription.parse(FORMULA, language="formula", id="b", owner="Bob"),
        ]

    def test_empty_lines_are_passed_over_but_counted(self, tmp_path: Path) -> None:
        path = tmp_path / "many.jsonl"
        path.write_text(f"\n{json.dumps(record('a'))}\n\n{{\n")
        good, (bad,) = read_subscriptions([path])
        assert [s.id for s in good] == ["a"]
        assert bad.place == 4

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            ("{", "truncated"),
            ("[]", "Expected `object`"),
            ("[" * 100_000, "Expected `object`"),
            ('{"id": "a", "language": "graph"}', "missing required field `text`"),
            ('{"id": 1, "language": "graph", "text": ""}', "Expected `str`, got `int` - at `$.id`"),
            ('{"id": "a", "language": "graph", "text": null}', "got `null` - at `$.text`"),
            ('{"id": "", "language": "graph", "text": "?x a ?y"}', "wanted an id that is not empty"),
            ('{"id": "a", "language": "prolog", "text": ""}', "found 'prolog'"),
            ('{"id": "a", "language": "graph", "text": "?x"}', "('a'):1:3: wanted a predicate"),
            ('{"id": "a", "language": "graph", "text": "\\ud800"}', "line 2"),
            ('{"id": "a", "language": "graph", "text": "?x a ?y"} {', "line 2"),
        ],
    )
    def test_a_bad_line_is_named(self, tmp_path: Path, line: str, said: str) -> None:
        path = tmp_path / "many.jsonl"
        path.write_text(f"{json.dumps(record('first'))}\n{line}\n{json.dumps(record('last'))}\n")
        good, (bad,) = read_subscriptions([path])
        assert [s.id for s in good] == ["first", "last"]
        assert bad.place == 2
        assert str(bad).startswith(f"{path} line 2")
        assert said in str(bad)

    def test_not_utf_8(self, tmp_path: Path) -> None:
        path = tmp_path / "many.jsonl"
        path.write_bytes(b'{"id": "\xff"}\n')
        assert "wanted UTF-8, found the byte 0xFF" in str(only_bad(path))

    def test_without_a_line(self, tmp_path: Path) -> None:
        path = tmp_path / "many.jsonl"
        path.write_text("\n")
        assert "found no line" in str(only_bad(path))

    def test_a_line_without_end(self, tmp_path: Path) -> None:
        path = tmp_path / "many.jsonl"
        path.write_text("[" * (2 << 20))
        assert "wanted lines of at most 1,048,576 bytes" in str(only_bad(path))

    def test_an_identifier_twice_names_both_places(self, tmp_path: Path) -> None:
        path = write_lines(tmp_path / "many.jsonl", record("a"), record("b"), record("a"))
        good, (bad,) = read_subscriptions([path])
        assert len(good) == 2
        assert str(bad) == (
            f"{path} line 3 ('a'): wanted each identifier once, found 'a' again; {path} line 1 ('a') has it"
        )

    def test_an_identifier_twice_over_two_files(self, tmp_path: Path) -> None:
        one = write_lines(tmp_path / "one.jsonl", record("a"))
        two = tmp_path / "a.graph"
        two.write_text(GRAPH)
        _, (bad,) = read_subscriptions([one, two])
        assert str(bad).startswith(f"{two}: wanted each identifier once")


class TestParquet:
    def test_id_language_text_and_perhaps_owner(self, tmp_path: Path) -> None:
        path = write_table(
            tmp_path / "many.parquet",
            more=[1, 2],
            text=[GRAPH, FORMULA],
            id=["a", "b"],
            language=["graph", "formula"],
            owner=[None, "Bob"],
        )
        assert load_subscriptions([path]) == [
            Subscription.parse(GRAPH, language="graph", id="a"),
            Subscription.parse(FORMULA, language="formula", id="b", owner="Bob"),
        ]

    def test_bad_rows_are_named_the_others_are_read(self, tmp_path: Path) -> None:
        path = write_table(
            tmp_path / "many.parquet",
            id=["a", "b", None, "d", "a"],
            language=["graph", "graph", "graph", "prolog", "graph"],
            text=[GRAPH, "?x", GRAPH, GRAPH, GRAPH],
        )
        good, bad = read_subscriptions([path])
        assert [s.id for s in good] == ["a"]
        assert [entry.place for entry in bad] == [2, 3, 4, 5]
        assert str(bad[0]).startswith(f"{path} row 2 ('b'):1:3: wanted a predicate")
        assert "got `null` - at `$.id`" in str(bad[1])
        assert "found 'prolog'" in str(bad[2])
        assert f"{path} row 1 ('a') has it" in str(bad[3])

    def test_many_rows(self, tmp_path: Path) -> None:
        count = 2_500
        path = write_table(
            tmp_path / "many.parquet",
            id=[f"s{number}" for number in range(count)],
            language=["graph"] * count,
            text=[GRAPH] * count,
        )
        assert len(load_subscriptions([path])) == count

    def test_missing_columns(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "many.parquet", id=["a"])
        assert str(only_bad(path)) == (
            f"{path}: wanted the columns id, language and text, found no language and no text"
        )

    def test_columns_of_another_type(self, tmp_path: Path) -> None:
        path = write_table(tmp_path / "many.parquet", id=[1], language=["graph"], text=[GRAPH])
        assert "Expected `str`, got `int` - at `$.id`" in str(only_bad(path))

    def test_without_a_row(self, tmp_path: Path) -> None:
        path = tmp_path / "many.parquet"
        pq.write_table(pa.table({name: pa.array([], pa.string()) for name in ("id", "language", "text")}), path)
        assert "found no row" in str(only_bad(path))

    @pytest.mark.parametrize("content", [b"", b"PAR1", b"PAR1" + b"\xff" * 100 + b"PAR1", b'{"id": "a"}'])
    def test_no_parquet_at_all(self, tmp_path: Path, content: bytes) -> None:
        path = tmp_path / "many.parquet"
        path.write_bytes(content)
        bad = only_bad(path)
        assert isinstance(bad.error, InputError)
        assert str(bad).startswith(f"{path}: wanted a Parquet file of subscriptions")


def test_the_papers_examples_are_read() -> None:
    found = [(s.id, s.language, s.lane) for s in load_subscriptions([PAPERS])]
    assert found == [
        ("chirita-example-1", "formula", "fast"),
        ("eventcloud-listing-1-1", "sparql", "fast"),
        ("gtopss-figure-5a", "graph", "fast"),
        ("gtopss-figure-5b", "graph", "fast"),
    ]
