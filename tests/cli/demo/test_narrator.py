"""What is printed of what a node says."""

from __future__ import annotations

from pyoxigraph import Literal, NamedNode

from triplewire.cli.demo.narrator import alert, difference, rows
from triplewire.client import Notification, ViewNotification
from triplewire.rdf.solutions import Solutions

EMMA = Solutions([{"reader": NamedNode("http://example.org/library/Ann"), "title": Literal("Emma")}])


def test_an_alert_has_the_solutions():
    assert alert(Notification("urn:e", 1, EMMA)).plain == "alert: (Ann Emma)"


def test_a_view_says_first_everything_and_then_what_came_and_went():
    assert difference(ViewNotification("urn:e", 1, 1, answer=EMMA)).plain == "at first: (Ann Emma)"
    assert difference(ViewNotification("urn:e", 1, 1, answer=Solutions())).plain == "at first: (nothing)"
    changed = ViewNotification("urn:e", 2, 2, added=EMMA, removed=EMMA)
    assert difference(changed).plain == "+ (Ann Emma) − (Ann Emma)"


def test_a_view_that_failed_says_why():
    assert difference(ViewNotification("urn:e", 2, 2, failed="too much")).plain == "too much"


def test_a_literal_cannot_command_the_terminal():
    assert rows(Solutions([{"title": Literal("\x1b[31m")}])) == "(\\x1b[31m)"
