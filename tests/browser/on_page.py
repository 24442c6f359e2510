"""The page in a real browser, against a real node: every screen at three sizes, by keys, under attack, under load.

`make test-browser` runs it; `make screens` keeps the pictures that it takes.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from tests.browser.library import ATTACK, NQUADS, QUERY, works
from tests.browser.looking import SIZES, Visit, visit
from tests.node.processes import Process, running

TITLES = {
    "overview": "Overview",
    "try": "Try a query",
    "subscriptions": "Subscriptions",
    "views": "Views",
    "rules": "Rules",
    "letters": "Dead letters",
    "history": "History",
    "network": "Network",
}
BAD_QUERY = "SELECT ?work WHERE {\n  ?work dcterms:title }"
DETAIL = "subscriptions?" + urlencode({"name": "recent-logic", "owner": "anonymous"})
CHOSEN = "history?" + urlencode({"name": "rdf-in-title", "owner": "anonymous"})


def api(node: Process, secret: str | None = None) -> httpx.Client:
    headers = {} if secret is None else {"Authorization": f"Bearer {secret}"}
    return httpx.Client(base_url=node.url, headers=headers, trust_env=False, timeout=60)


def write(page: Any, text: str) -> None:
    """Put a text into the editor in place of what is there."""
    page.locator(".cm-content").first.click()
    page.keyboard.press("Control+A")
    page.keyboard.insert_text(text)


# Every screen, at every size


def prepare(looked: Visit, screen: str) -> None:
    """Bring a screen into the state that people know it in."""
    page = looked.page
    if screen == "overview":
        page.locator(".log li").first.wait_for()
        looked.until("document.querySelectorAll('.uplot canvas').length === 2")
    if screen == "try":
        page.get_by_role("button", name="Try", exact=True).click()
        page.get_by_text("would have matched").first.wait_for()
    if screen == "rules":
        page.get_by_role("button", name=re.compile("^Change")).first.click()
        page.locator(".tree .unit").first.wait_for()
        page.evaluate("scrollTo(0, 0)")
    looked.settle()


@pytest.mark.parametrize("width", SIZES)
@pytest.mark.parametrize("screen", TITLES)
def test_every_screen_is_whole_at_every_size(chromium: Any, library: Process, screen: str, width: int):
    place = {"subscriptions": DETAIL, "history": CHOSEN}.get(screen, screen)
    with visit(chromium, library.url, width, "dark" if width == 2560 else "light") as looked:
        looked.go(place)
        assert looked.page.locator("h1").inner_text() == TITLES[screen]
        prepare(looked, screen)
        assert looked.serious() == []
        widths = looked.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert widths[0] <= widths[1], "nothing is beyond the edge"
        looked.require_fine()
        looked.take_picture(f"{screen}-{width}")


@pytest.mark.parametrize("screen", ["overview", "try", "subscriptions", "rules"])
def test_dark_has_contrast_too(chromium: Any, library: Process, screen: str):
    with visit(chromium, library.url, scheme="dark") as looked:
        looked.go(screen)
        prepare(looked, screen)
        assert looked.serious() == []
        looked.take_picture(f"{screen}-dark")


def test_the_theme_is_chosen_by_hand_and_kept(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        looked.go("overview")
        looked.page.get_by_role("button", name="Theme: as the system").click()
        looked.page.get_by_role("button", name="Theme: light").click()
        looked.page.reload()
        looked.page.get_by_role("button", name="Theme: dark").wait_for()
        assert looked.page.evaluate("document.documentElement.dataset.theme") == "dark"


# Try a query


def test_a_query_is_tried_subscribed_and_followed_by_keys_alone(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        page, keys = looked.page, looked.page.keyboard
        looked.go("overview")
        keys.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Skip to content"
        keys.press("Enter")
        assert page.evaluate("document.activeElement.tagName") == "MAIN"
        page.get_by_role("link", name="Try a query").focus()
        keys.press("Enter")
        page.get_by_role("heading", name="Try a query").wait_for()
        assert page.evaluate("document.activeElement.tagName") == "H1"
        page.locator(".cm-content").focus()
        keys.press("Control+A")
        keys.insert_text('PREFIX dcterms: <http://purl.org/dc/terms/>\nSELECT ?w WHERE { ?w dcterms:subject "Keys" }')
        keys.press("Control+Enter")
        page.get_by_text("None of the last 1,000 events").wait_for()
        keys.press("Escape")
        keys.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Try"
        name = page.get_by_label("Name of the subscription")
        name.focus()
        keys.press("Control+A")
        keys.insert_text("by-keys")
        keys.press("Enter")
        page.get_by_text("Waiting for the first match").wait_for()
        graph = "<http://library.example/events/keys>"
        event = f'<http://library.example/works/keys> <http://purl.org/dc/terms/subject> "Keys" {graph} .'
        with api(library) as client:
            client.post("/events", content=event, headers=NQUADS).raise_for_status()
            page.locator(".live .solutions").get_by_text("works:keys").wait_for()
            page.get_by_role("button", name="Unsubscribe").focus()
            keys.press("Enter")
            page.locator(".live").wait_for(state="detached")
            assert client.get("/subscriptions/by-keys").status_code == 404
        looked.require_fine()


def test_a_mistake_is_marked_where_it_is(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        looked.go("try")
        write(looked.page, BAD_QUERY)
        looked.page.locator(".cm-lintRange-error").wait_for()
        assert looked.page.get_by_role("alert").filter(has_text="Line 2, column").count() == 1
        assert looked.serious() == []
        looked.take_picture("try-mistake")


def test_a_name_is_completed_with_its_prefix(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        page = looked.page
        looked.go("try")
        write(page, "SELECT ?w WHERE { ?w ")
        page.keyboard.type("dcterms:ti")
        page.locator(".cm-tooltip-autocomplete").get_by_text("dcterms:title").wait_for()
        # For a moment it takes no keys, so that nobody accepts what appears while they type.
        looked.until("new Promise((done) => setTimeout(() => done(true), 150))")
        page.keyboard.press("Enter")
        page.locator(".cm-content").get_by_text("PREFIX").wait_for()
        assert "dcterms:title" in page.locator(".cm-content").inner_text()


@pytest.mark.parametrize("language", ["Formula", "Graph"])
def test_the_other_languages_are_tried_alike(chromium: Any, library: Process, language: str):
    with visit(chromium, library.url) as looked:
        looked.go("try")
        looked.page.get_by_role("button", name=language).click()
        looked.page.get_by_role("button", name="Try", exact=True).click()
        looked.page.get_by_text(re.compile(r"of the last [\d,]+ events would have matched")).first.wait_for()
        looked.require_fine()


# Lists, rules, history


def test_a_subscription_is_found_paused_and_deleted(chromium: Any, library: Process):
    with api(library) as client, visit(chromium, library.url) as looked:
        page = looked.page
        looked.go("subscriptions")
        page.get_by_label("Search").fill("reader-00123")
        page.get_by_role("status").get_by_text("1–1 of 1").wait_for()
        page.get_by_role("link", name="Open reader-00123").click()
        page.get_by_role("button", name="Pause").click()
        page.get_by_role("button", name="Resume").wait_for()
        assert client.get("/subscriptions/reader-00123").json()["paused"] is True
        page.get_by_role("button", name="Delete").click()
        dialog = page.get_by_role("dialog")
        dialog.wait_for()
        page.keyboard.press("Escape")
        dialog.wait_for(state="detached")
        page.get_by_role("button", name="Delete").click()
        assert looked.serious() == []
        dialog.get_by_role("button", name="Delete").click()
        page.get_by_text("Nothing is found by that search").wait_for()
        assert client.get("/subscriptions/reader-00123").status_code == 404
        looked.require_fine()


def test_a_long_list_has_pages(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        looked.go("subscriptions")
        assert looked.page.locator("tbody tr").count() == 50
        looked.page.get_by_role("button", name="Next").click()
        looked.page.get_by_role("status").get_by_text(re.compile("^51–100 of")).wait_for()


def test_a_dead_letter_without_a_receiver_says_why_and_is_forgotten(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        page = looked.page
        looked.go("letters")
        before = page.locator("tbody tr").count()
        page.get_by_role("button", name="Send again").first.click()
        page.get_by_role("status").get_by_text("webhook").wait_for()
        page.get_by_role("button", name="Forget").first.click()
        page.get_by_role("dialog").get_by_role("button", name="Forget").click()
        looked.until(f"document.querySelectorAll('tbody tr').length === {before - 1}")


def test_a_rule_is_checked_before_it_is_registered(chromium: Any, library: Process):
    rule = (
        "USING NAMESPACE s http://example.org/selene/\nRULE endless\n"
        "ON INSERT (resource()/target(s:new_LOs), _, _) IF True\n"
        "DO INSERT ($delta.source, seq++, $delta.target);;"
    )
    with visit(chromium, library.url) as looked:
        page = looked.page
        looked.go("rules")
        write(page, rule)
        page.get_by_role("button", name="Check", exact=True).click()
        page.get_by_text("may not end").wait_for()
        page.get_by_role("button", name="endless").wait_for()
        write(page, "RULE x ON")
        page.get_by_role("button", name="Check", exact=True).click()
        page.locator(".cm-lintRange-error").wait_for()
        looked.require_fine()


def test_history_is_replayed_from_a_chosen_moment(chromium: Any, library: Process):
    with api(library) as client, visit(chromium, library.url) as looked:
        page = looked.page
        looked.go("history?" + urlencode({"name": "music-books", "owner": "anonymous"}))
        page.get_by_role("slider").focus()
        page.keyboard.press("Home")
        page.get_by_role("button", name="Replay from here").click()
        page.get_by_role("dialog").get_by_role("button", name="Replay from here").click()
        page.get_by_role("status").get_by_text("It begins again after position 0").wait_for()
        assert client.get("/subscriptions/music-books").json()["created"] == 0


# What others publish, and what comes in masses


def test_a18_what_is_published_is_text(chromium: Any, tmp_path: Path):
    """In literals, names and queries, on every screen that shows them."""
    literal = ATTACK.replace("\\", "\\\\").replace('"', '\\"')
    bad_name = "<img src=x onerror=window.hurt=1>"
    with running(tmp_path / "node", "--open") as node, api(node) as client, visit(chromium, node.url) as looked:
        events = (
            f'<urn:a> <urn:p> "{literal}" <urn:e:1> .\n<javascript:hurt> <urn:p> <data:text/html,hurt> <urn:e:2> .\n'
        )
        client.post("/events", content=events, headers=NQUADS).raise_for_status()
        text = f"SELECT ?o WHERE {{ ?s <urn:p> ?o FILTER(CONTAINS(?o, '''{ATTACK}''')) }}"
        client.put(
            f"/subscriptions/{bad_name}", content="SELECT ?o { ?s <urn:p> ?o }", headers=QUERY
        ).raise_for_status()
        client.put("/subscriptions/quoted", content=text, headers=QUERY).raise_for_status()
        client.put(f"/views/{bad_name}2", content="SELECT ?s { ?s ?p ?o }", headers=QUERY).raise_for_status()
        chosen = urlencode({"name": bad_name, "owner": "anonymous"})
        view = urlencode({"name": f"{bad_name}2", "owner": "anonymous"})
        quoted = urlencode({"name": "quoted", "owner": "anonymous"})
        places = [
            "overview",
            f"subscriptions?{chosen}",
            f"subscriptions?{quoted}",
            f"views?{view}",
            f"history?{chosen}",
        ]
        for place in [*places, "letters", "rules", "network"]:
            looked.go(place)
            require_unhurt(looked)
        looked.go("try")
        write(looked.page, "SELECT ?o WHERE { ?s <urn:p> ?o }")
        looked.page.get_by_role("button", name="Try", exact=True).click()
        looked.page.locator(".solutions").get_by_text("<script>window.hurt=1").wait_for()
        require_unhurt(looked)
        write(looked.page, text.replace("SELECT", "SELEKT"))
        looked.page.locator(".verdict.bad-text").wait_for()
        require_unhurt(looked)
        looked.go("overview")
        looked.page.locator(".log").get_by_text("<script>window.hurt=1").wait_for()


def require_unhurt(looked: Visit) -> None:
    page = looked.page
    assert page.evaluate("window.hurt") is None
    assert page.locator("img, iframe, object, embed, a[href^='javascript' i], a[href^='data' i]").count() == 0
    assert page.locator("script").count() == 1, "the page's own"
    looked.require_fine()


def test_a18_the_policy_stops_a_script_that_got_in(chromium: Any, library: Process):
    """What the other tests count must be counted: here somebody is already inside."""
    with visit(chromium, library.url) as looked:
        looked.go("letters")
        looked.page.evaluate("""
          const script = document.createElement("script");
          try { script.textContent = "window.hurt = 1"; } catch (refused) { window.refused = true; }
          document.body.append(script);
          const style = document.createElement("style");
          style.textContent = "body { display: none }";
          document.body.append(style);
          fetch("http://127.0.0.1:9/").catch(() => {});
        """)
        looked.until("window.violations.length >= 3")
        assert looked.page.evaluate("window.hurt") is None
        assert {violation.split()[0] for violation in looked.violations} >= {"style-src-elem", "connect-src"}


@contextmanager
def flood(node: Process) -> Iterator[None]:
    """A thousand events a second and more, until the block ends."""
    stop = threading.Event()

    def publish() -> None:
        number = 1_000_000
        with api(node) as client:
            while not stop.is_set():
                client.post("/events", content=works(number, number + 249), headers=NQUADS).raise_for_status()
                number += 250
                stop.wait(0.1)

    thread = threading.Thread(target=publish)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_flood_is_sampled_and_the_page_stays_alive(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked, flood(library):
        page = looked.page
        looked.go("overview")
        page.get_by_text("Too many to read: this is a sample").wait_for()
        page.get_by_role("button", name="Pause").click()
        page.get_by_text("Paused").wait_for()
        page.get_by_role("button", name="Resume").click()
        page.get_by_text("Live", exact=True).wait_for()
        # It still paints, and keeps no more than it shows.
        assert page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        assert page.locator(".log li").count() <= 40
        looked.until("document.querySelector('.tile-value').textContent !== '0'")
        page.get_by_role("link", name="Subscriptions").first.click()
        page.locator("tbody tr").first.wait_for()
        page.get_by_role("link", name="Overview").click()
        page.get_by_text("Too many to read: this is a sample").wait_for()
        looked.take_picture("overview-flood")
        looked.require_fine()


# Signing in


def secret_of(node: Process) -> str:
    [secret] = re.findall(r"secret, shown this once: (\S+)", node.words())
    return secret


def sign_in(page: Any, secret: str) -> None:
    page.get_by_label("Secret").fill(secret)
    page.get_by_role("button", name="Sign in").click()


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Process]:
    """A node that asks for secrets."""
    with running(tmp_path_factory.mktemp("closed") / "node") as node:
        yield node


@pytest.mark.parametrize("width", SIZES)
def test_signing_in_is_whole_at_every_size(chromium: Any, closed: Process, width: int):
    with visit(chromium, closed.url, width) as looked:
        looked.go("overview")
        looked.page.get_by_label("Secret").wait_for()
        assert looked.serious() == []
        looked.require_fine()
        looked.take_picture(f"signin-{width}")


def test_a_secret_is_kept_in_memory_and_nowhere_else(chromium: Any, closed: Process):
    secret = secret_of(closed)
    with visit(chromium, closed.url) as looked:
        page = looked.page
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        looked.go("overview")
        sign_in(page, "wrong")
        page.get_by_role("alert").get_by_text("No client of this node has that secret").wait_for()
        sign_in(page, secret)
        page.get_by_role("heading", name="Overview").wait_for()
        page.get_by_text("Signed in as administrator").wait_for()
        kept = page.evaluate("JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie, location.href])")
        assert secret not in kept + "".join(asked)
        assert secret not in page.content()
        assert page.context.storage_state() == {"cookies": [], "origins": []}
        page.reload()
        page.get_by_label("Secret").wait_for()
        sign_in(page, secret)
        page.get_by_role("button", name="Sign out").click()
        page.get_by_label("Secret").wait_for()


def test_rights_decide_what_is_shown(chromium: Any, closed: Process):
    with api(closed, secret_of(closed)) as client:
        rights = {"publish": None, "subscribe": {"namespaces": ["http://purl.org/"]}}
        reader = client.post("/clients", json={"name": "reader", "rights": rights}).json()["secret"]
    with visit(chromium, closed.url) as looked:
        page = looked.page
        looked.go("overview")
        sign_in(page, reader)
        page.get_by_text("Signed in as reader").wait_for()
        links = page.get_by_role("navigation", name="Screens").get_by_role("link").all_inner_texts()
        assert links == ["Overview", "Try a query", "Subscriptions", "Dead letters", "History"]
        assert page.get_by_role("button", name="Publish an event").count() == 0
        page.evaluate("location.hash = '#/network'")
        page.get_by_role("heading", name="Overview").wait_for()
        looked.require_fine()


def test_an_event_is_published_by_hand(chromium: Any, library: Process):
    with visit(chromium, library.url) as looked:
        page = looked.page
        looked.go("overview")
        page.get_by_role("button", name="Publish an event").click()
        name = page.get_by_label("Name of the event (an IRI)")
        name.fill("http://library.example/events/by-hand")
        assert looked.serious() == []
        page.get_by_role("button", name="Publish", exact=True).click()
        page.get_by_role("status").get_by_text(re.compile("Published, at position")).wait_for()
        page.locator(".log").get_by_text("events:by-hand").wait_for()
        looked.require_fine()
