from __future__ import annotations

import pytest

from triplewire.rdf.documents import Document
from triplewire.rdf.parsing.positions import problem_at, problem_at_offset


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_the_rdf_syntaxes_say(end: str) -> None:
    document = Document(end.join(["first", "", "thïrd", "fourth"]).encode(), "message")
    problem = problem_at(document, 3, 2, "wrong")
    assert str(problem) == "message:3:2: wrong\n    thïrd\n     ^"
    assert problem_at(document, 4, 1, "wrong").around == "fourth"
    assert problem_at(document, 1, 1, "wrong").around == "first"
    assert problem_at(document, 9, 1, "wrong").around == ""


def test_offsets_count_bytes_and_columns_count_characters() -> None:
    document = Document("ää\nöü!".encode())
    problem = problem_at_offset(document, document.data.index(b"!"), "wrong")
    assert (problem.line, problem.column, problem.around) == (2, 3, "öü!")


def test_of_a_long_line_only_the_neighbourhood_is_shown() -> None:
    problem = problem_at(Document(b"a" * 5000 + b"!" + b"b" * 5000), 1, 5001, "wrong")
    assert len(problem.around) < 130
    assert problem.around[problem.caret] == "!"
