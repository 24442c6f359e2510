"""Messages of Kafka in any format, as tasks read them; `make test-kafka` sends them through a broker."""

from __future__ import annotations

from datetime import UTC, datetime

import pyarrow as pa
import pytest

from triplewire.errors import InputError, UnknownFormat
from triplewire.pipeline.jobs.stream import Assembly, StreamRequest, Topic
from triplewire.pipeline.sources.kafka import parse_messages

SENT = datetime(2026, 5, 1, tzinfo=UTC)
RDFXML = (
    '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:u="urn:">'
    '<rdf:Description rdf:about="urn:s"><u:p>1</u:p></rdf:Description></rdf:RDF>'
)


def read(form: str, *values: bytes | None) -> list[dict]:
    rows = [{"value": value, "source": f"kafka:t:0:{place}", "time": SENT} for place, value in enumerate(values)]
    batch = pa.RecordBatch.from_pylist(
        rows, pa.schema([("value", pa.binary()), ("source", pa.string()), ("time", pa.timestamp("us", "UTC"))])
    )
    return [row for found in parse_messages(form)(iter([batch])) for row in found.to_pylist()]


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("turtle", "<urn:s> <urn:p> 1 ."),
        ("ntriples", "<urn:s> <urn:p> <urn:o> ."),
        ("trig", "<urn:e> { <urn:s> <urn:p> 1 }"),
        ("jsonld", '{"@id": "urn:s", "urn:p": {"@id": "urn:o"}}'),
        ("rdfxml", RDFXML),
    ],
)
def test_every_format_gives_an_event_and_the_same_again(form, text):
    [row] = read(form, text.encode())
    assert (row["source"], row["time"], row["problem"]) == ("kafka:t:0:0", SENT, None)
    assert row["payload"].count(row["event"].encode()) == 1
    assert read(form, text.encode()) == [row]


def test_what_is_no_event_keeps_its_place_and_reason():
    two = b"<urn:e> { <urn:s> <urn:p> 1 } <urn:f> { <urn:s> <urn:p> 1 }"
    rows = read("trig", b"<urn:e> {\n nonsense }", b"", None, two, b"<urn:e> { <urn:s> <urn:p> 1 }")
    problems = [row["problem"] for row in rows]
    assert problems[0].startswith("line 2: column ")
    assert problems[1:4] == [f"wanted one event a message, found {count}" for count in (0, 0, 2)]
    assert [row["event"] for row in rows] == [None] * 4 + ["urn:e"]


def test_a_message_beyond_the_limits_is_told():
    [row] = read("turtle", "".join(f"<urn:s> <urn:p{n}> 1 .\n" for n in range(10_001)).encode())
    assert "10000" in row["problem"]


def test_a_format_that_nobody_reads_or_that_cannot_be_put_together_is_refused():
    with pytest.raises(UnknownFormat, match=r"wanted a known RDF format, .*found 'avro'"):
        Topic("host:9092", "papers", format="avro")
    with pytest.raises(InputError, match="wanted nquads to put events together from, found turtle"):
        StreamRequest(source=Topic("h:1", "t", format="turtle"), subscriptions=(), out="lake", assembly=Assembly())
