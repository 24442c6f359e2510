"""`triplewire subsumes` and `triplewire covers`: exit 0 yes, 1 no, and one sentence why."""

from __future__ import annotations

import pytest
from tests.cli.samples import DC

PREFIXES = f"@prefix tw: <urn:triplewire:> .\n@prefix dc: <{DC}> .\n"


def assert_says(result, word: str) -> None:
    assert result.exit_code == {"yes": 0, "no": 1}[word], result.output
    assert result.stdout.startswith(f"{word}: ")
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


def formula(workspace, name: str, constraint: str) -> str:
    (workspace / name).write_text(f"X : t(X, <dc:date>, D) and {constraint}\n")
    return name


@pytest.mark.parametrize(
    ("a", "b", "word"),
    [
        ("D > 2000", "D > 2001", "yes"),
        ("D > 2001", "D > 2000", "no"),
        ("D >= 4", "D > 3", "yes"),
        ("D = 1", "(D > 3 and D < 4)", "yes"),
        ('D contains "Nejdl"', 'D = "W. Nejdl"', "yes"),
        ('D contains "W. Nejdl"', 'D contains "Nejdl"', "no"),
    ],
)
def test_subsumes_definition_3(workspace, run, a, b, word):
    assert_says(run("subsumes", formula(workspace, "a.formula", a), formula(workspace, "b.formula", b)), word)


def test_subsumes_uses_the_taxonomy(workspace, run):
    (workspace / "classes.ttl").write_text("<urn:Paper> <http://www.w3.org/2000/01/rdf-schema#subClassOf> <urn:Work> .")
    (workspace / "a.graph").write_text("?x(<= <urn:Work>) <urn:p> ?y\n")
    (workspace / "b.graph").write_text("?x(<= <urn:Paper>) <urn:p> ?y\n")
    assert_says(run("subsumes", "a.graph", "b.graph"), "no")
    assert_says(run("subsumes", "a.graph", "b.graph", "--taxonomy", "classes.ttl"), "yes")


@pytest.mark.parametrize(
    ("advertised", "word"),
    [
        ("[] a tw:SchemaAdvertisement ; tw:schema <http://purl.org/dc/elements/1.1/> .", "yes"),
        ("[] a tw:SchemaAdvertisement ; tw:schema <http://example.org/> .", "no"),
        ("[] a tw:PropertyAdvertisement ; tw:property dc:creator, dc:date .", "yes"),
        ("[] a tw:PropertyAdvertisement ; tw:property dc:creator .", "no"),
        ("[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:date ; tw:value [ tw:atLeast 2002 ] ] .", "yes"),
        ("[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:date ; tw:value [ tw:below 2002 ] ] .", "no"),
    ],
)
def test_covers_definitions_5_6_and_8(workspace, run, advertised, word):
    (workspace / "ad.ttl").write_text(PREFIXES + advertised)
    assert_says(run("covers", "ad.ttl", "good.formula"), word)


@pytest.mark.parametrize(
    ("advertised", "wanted"),
    [
        ("dc:a dc:b dc:c .", "advertisement"),
        ("[] a tw:SchemaAdvertisement .", "tw:schema"),
        ("[] a tw:PropertyAdvertisement ; tw:property 'x' .", "tw:property"),
        ("[] a tw:ValueAdvertisement .", "tw:offers"),
    ],
)
def test_a_file_that_is_no_advertisement_says_what_was_wanted(workspace, run, advertised, wanted):
    (workspace / "ad.ttl").write_text(PREFIXES + advertised)
    result = run("covers", "ad.ttl", "good.formula")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ad.ttl: ")
    assert wanted in result.stderr


def test_a_question_wants_one_subscription_on_each_side(workspace, run):
    (workspace / "many").mkdir()
    for name in "ab":
        (workspace / "many" / f"{name}.rq").write_text("ASK { ?s ?p ?o }")
    result = run("subsumes", "many", "good.rq")
    assert (result.exit_code, result.stdout) == (2, "")
    assert "many: wanted one subscription, found 2" in result.stderr


def test_covers_reads_several_files_of_one_peer_together(workspace, run):
    for name in ("creator", "date"):
        text = f"[] a tw:PropertyAdvertisement ; tw:property dc:{name} ."
        (workspace / f"{name}.ttl").write_text(PREFIXES + text)
    assert_says(run("covers", "creator.ttl", "good.formula"), "no")
    assert_says(run("covers", "creator.ttl", "date.ttl", "good.formula"), "yes")


def test_covers_reads_several_advertisements_of_one_file_as_one_registration(workspace, run):
    """Where a registration gives values those count, whatever schemas it names (the paper's second criterion)."""
    schema = "[] a tw:SchemaAdvertisement ; tw:schema <http://purl.org/dc/elements/1.1/> . "
    early = "[] a tw:ValueAdvertisement ; tw:offers [ tw:property dc:date ; tw:value [ tw:below 2002 ] ] ."
    (workspace / "ad.ttl").write_text(PREFIXES + schema + early)
    assert_says(run("covers", "ad.ttl", "good.formula"), "no")
