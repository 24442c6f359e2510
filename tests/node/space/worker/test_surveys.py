"""Surveys: everybody is asked once, whoever is silent is named, and nobody speaks for another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from triplewire.network.can.messages import Address, Record
from triplewire.node.space.worker.messages import NodeDescription, SurveyAnswer, SurveyRequest
from triplewire.node.space.worker.surveys import Surveys

# Who knows whom: a line of nodes, and one that is known by the last one only.
KNOWN = {"a": "b", "b": "ac", "c": "bd", "d": "ce", "e": "d"}
TICKET = 7


def address(name: str) -> Address:
    return Address(name, f"tcp://{name}")


def described(name: str, known: Mapping[str, str] = KNOWN) -> NodeDescription:
    record = Record(name, f"tcp://{name}")
    return NodeDescription(record, "in", (), tuple(map(address, known[name])))


class Crawl:
    """A survey by `a`, in which some do not answer."""

    def __init__(self, silent: str = "") -> None:
        self.surveys = Surveys(address("a"))
        self.silent = silent
        self.asked: list[str] = []
        self.carry(0.0, self.surveys.begin(0.0, TICKET, described("a")))

    def carry(self, now: float, asking: Iterable[tuple[str, SurveyRequest]]) -> None:
        for to, request in asking:
            name = to.removeprefix("tcp://")
            self.asked.append(name)
            assert request == SurveyRequest(TICKET, address("a"))
            if name not in self.silent:
                answer = SurveyAnswer(request.number, described(name))
                self.carry(now, self.surveys.answered(now, name, answer))


def test_everybody_is_asked_once_and_found():
    crawl = Crawl()
    [found] = crawl.surveys.finished()
    assert sorted(crawl.asked) == ["b", "c", "d", "e"]
    assert [one.record.id for one in found.nodes] == ["a", "b", "c", "d", "e"]
    assert found.silent == ()
    assert crawl.surveys.finished() == []


def test_whoever_is_silent_is_asked_again_and_then_named():
    crawl = Crawl(silent="e")
    assert crawl.surveys.finished() == []
    for second in range(1, 10):
        crawl.carry(second, crawl.surveys.due(float(second)))
    [found] = crawl.surveys.finished()
    assert found.silent == ("e",)
    assert [one.record.id for one in found.nodes] == ["a", "b", "c", "d"]
    assert crawl.asked.count("e") == 4


def test_nobody_describes_another():
    crawl = Crawl(silent="e")
    assert list(crawl.surveys.answered(1.0, "d", SurveyAnswer(TICKET, described("e")))) == []
    assert crawl.surveys.finished() == []


def test_an_answer_to_a_survey_that_is_over_changes_nothing():
    crawl = Crawl()
    crawl.surveys.finished()
    assert list(crawl.surveys.answered(1.0, "b", SurveyAnswer(TICKET, described("b")))) == []
