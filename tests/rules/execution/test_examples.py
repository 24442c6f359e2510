"""The paper's own rules, executed over the schemas of its figures 1 and 2."""

from __future__ import annotations

from tests.rules.selene import EXT1, EXT3, LOS, MERGED, SELENE, USERS

from triplewire.languages.rdftl import parse_rule, parse_updates
from triplewire.rdf.terms import Literal, Triple
from triplewire.rules.execution.rulebook import Rulebook
from triplewire.rules.execution.runner import Runner, ScheduleOutcome
from triplewire.rules.execution.units import Status
from triplewire.rules.repository import Repository
from triplewire.rules.vocabulary import TYPE, member

EXAMPLE_2 = """
USING NAMESPACE dc http://purl.org/dc/elements/1.1/
USING NAMESPACE ext3 http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/lo
LET $updated_lo := resource(http://www.dcs.bbk.ac.uk/users/sys)
                    /target(ext3:messages)/target(ext3:updated_LOs)
ON INSERT (resource(),dc:type,_)
IF True
DO INSERT ($updated_lo,seq++,$delta);;
"""
EXAMPLE_3 = """
USING NAMESPACE dc http://purl.org/dc/elements/1.1/
USING NAMESPACE ext1 http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/user
USING NAMESPACE ext3 http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/lo
LET $new_los := resource(http://www.dcs.bbk.ac.uk/users/128)
                /target(ext3:messages)/target(ext3:new_LOs)
ON INSERT resource() AS INSTANCE OF LO
IF $delta/target(dc:subject)
    = resource(http://www.dcs.bbk.ac.uk/users/128)
      /target(ext1:interests)/element()/target(ext1:interest_typename)
DO INSERT ($new_los,seq++,$delta);;
"""


def selene() -> Repository:
    """Users 128 and sys with their lists; 128 is interested in logic."""
    repository = Repository(MERGED)
    triples = []
    for user in ("128", "sys"):
        triples += [
            Triple(USERS[user], TYPE, SELENE["User"]),
            Triple(USERS[f"{user}/messages"], TYPE, SELENE["Messages"]),
            Triple(USERS[f"{user}/new"], TYPE, SELENE["new_LOs"]),
            Triple(USERS[f"{user}/updated"], TYPE, SELENE["updated_LOs"]),
            Triple(USERS[user], EXT3["messages"], USERS[f"{user}/messages"]),
            Triple(USERS[f"{user}/messages"], EXT3["new_LOs"], USERS[f"{user}/new"]),
            Triple(USERS[f"{user}/messages"], EXT3["updated_LOs"], USERS[f"{user}/updated"]),
        ]
    repository.load(
        [
            *triples,
            Triple(USERS["128/interests"], TYPE, SELENE["Interests"]),
            Triple(USERS["128/logic"], TYPE, SELENE["Interest"]),
            Triple(USERS["128/logic"], EXT1["interest_typename"], Literal("Logic")),
            Triple(USERS["128"], EXT1["interests"], USERS["128/interests"]),
            Triple(USERS["128/interests"], member(1), USERS["128/logic"]),
        ]
    )
    return repository


def run(repository: Repository, rule: str, updates: str) -> ScheduleOutcome:
    return Runner(repository, Rulebook(MERGED, [parse_rule(rule, id="r")])).run(parse_updates(updates))


PREAMBLE = """
USING NAMESPACE dc http://purl.org/dc/elements/1.1/
USING NAMESPACE lo http://www.dcs.bbk.ac.uk/LOs/
"""


def test_example_2_appends_what_was_given_a_type_to_the_list_of_updated_learning_objects() -> None:
    repository = selene()
    repository.load([Triple(LOS["BK187"], TYPE, SELENE["LO"]), Triple(LOS["BK7"], TYPE, SELENE["LO"])])
    outcome = run(
        repository,
        EXAMPLE_2,
        PREAMBLE
        + """
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK187),dc:type,'Book');;
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK187),dc:title,'Logic');;
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK7),dc:type,'Book');;
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK7),dc:type,'Book');;
        """,
    )
    updated = USERS["sys/updated"]
    assert {t for t in repository.match(updated, None, None) if t.predicate != TYPE} == {
        Triple(updated, member(1), LOS["BK187"]),
        Triple(updated, member(2), LOS["BK7"]),
    }
    assert [(entry.rule, entry.cause, entry.status) for entry in outcome.firings] == [
        ("r", 1, Status.COMMITTED),
        ("r", 4, Status.COMMITTED),
    ]


NATURAL = """
TRANSACTION arrival
INSERT resource(http://www.dcs.bbk.ac.uk/LOs/BK1) AS INSTANCE OF LO;;
INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK1), dc:subject, 'Logic');;
INSERT resource(http://www.dcs.bbk.ac.uk/LOs/BK2) AS INSTANCE OF LO;;
INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK2), dc:subject, 'Fishing');;
"""


def test_example_3_fires_on_the_natural_transaction_if_its_condition_waits_for_the_end() -> None:
    new = USERS["128/new"]
    for coupling, told in (("", set()), ("COUPLING DEFERRED ", {Triple(new, member(1), LOS["BK1"])})):
        repository = selene()
        outcome = run(repository, coupling + EXAMPLE_3, PREAMBLE + NATURAL)
        assert {t for t in repository.match(new, None, None) if t.predicate != TYPE} == told
        assert [(entry.cause, entry.transaction) for entry in outcome.firings] == [(1, "arrival")] * len(told)


def test_example_3_tells_a_user_of_new_learning_objects_of_interest() -> None:
    repository = selene()
    outcome = run(
        repository,
        EXAMPLE_3,
        PREAMBLE
        + """
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK1), rdf:type, resource(http://www.dcs.bbk.ac.uk/selene/schema#LO)),
               (resource(http://www.dcs.bbk.ac.uk/LOs/BK1), dc:subject, 'Logic');;
        INSERT (resource(http://www.dcs.bbk.ac.uk/LOs/BK2), rdf:type, resource(http://www.dcs.bbk.ac.uk/selene/schema#LO)),
               (resource(http://www.dcs.bbk.ac.uk/LOs/BK2), dc:subject, 'Fishing');;
        INSERT resource(http://www.dcs.bbk.ac.uk/LOs/BK3) AS INSTANCE OF LO;;
        """,
    )
    new = USERS["128/new"]
    assert {t for t in repository.match(new, None, None) if t.predicate != TYPE} == {Triple(new, member(1), LOS["BK1"])}
    assert len(outcome.firings) == 1
    assert not outcome.aborted
