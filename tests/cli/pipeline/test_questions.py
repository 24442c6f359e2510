"""Questions to a lake from the command line: calls that cannot be meant, and how answers are written, without Spark."""

from __future__ import annotations

import json

import pytest

from triplewire.cli.pipeline.ask import AnswerFormat, written
from triplewire.errors import InputError
from triplewire.pipeline.jobs.questions.asking import Answer

NUMBER = '"1"^^<http://www.w3.org/2001/XMLSchema#integer>'
ROWS = Answer(("x", "n"), [("<urn:a>", NUMBER), ('"a, \\"b\\""@en', None), ("_:b", '""')])
TRIPLES = Answer(("subject", "predicate", "object"), [("<urn:a>", "<urn:p>", NUMBER)], is_graph=True)


def words(result) -> str:
    return " ".join(result.output.replace("│", " ").split())


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (("ask", "ASK {}", "-l", "lake", "--format", "parquet"), "--format parquet wants --out FOLDER, found none"),
        (("rules", "-l", "lake", "-r", "r.rdftl", "-s", "s.ttl"), "wanted --dry-run"),
        (("validate", "-l", "lake"), "--shapes"),
    ],
)
def test_a_call_that_cannot_be_meant_is_wrong(run, call, sentence):
    result = run("pipeline", *call)
    assert result.exit_code == 2
    assert sentence in words(result)


def test_a_picture_of_no_known_format_is_refused_before_any_work(run):
    result = run("pipeline", "report", "-l", "lake", "--picture", "report.docx")
    assert result.exit_code == 1
    assert "a picture wants one of .png, .svg, .pdf, found 'report.docx'" in words(result)


def test_rows_as_json_and_csv():
    document = json.loads(written(ROWS, AnswerFormat.JSON))
    assert document["head"] == {"vars": ["x", "n"]}
    assert document["results"]["bindings"][1] == {"x": {"type": "literal", "value": 'a, "b"', "xml:lang": "en"}}
    assert written(ROWS, AnswerFormat.CSV) == b'x,n\r\nurn:a,1\r\n"a, ""b""",\r\n_:b,\r\n'


def test_yes_and_triples():
    assert json.loads(written(True, AnswerFormat.JSON)) == {"head": {}, "boolean": True}
    assert written(TRIPLES, AnswerFormat.NTRIPLES) == f"<urn:a> <urn:p> {NUMBER} .\n".encode()
    assert json.loads(written(TRIPLES, AnswerFormat.JSON))["results"]["bindings"][0]["object"]["value"] == "1"


@pytest.mark.parametrize(
    ("answer", "form"),
    [
        (ROWS, AnswerFormat.NTRIPLES),
        (True, AnswerFormat.NTRIPLES),
        (True, AnswerFormat.CSV),
        (ROWS, AnswerFormat.TABLE),
    ],
)
def test_an_answer_that_has_no_such_form_is_refused(answer, form):
    with pytest.raises(InputError):
        written(answer, form)
