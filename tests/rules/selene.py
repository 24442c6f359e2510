"""The schemas of figures 1 and 2, and the IRIs that the paper's examples name."""

from __future__ import annotations

from pathlib import Path

from triplewire.rdf.terms import Namespace
from triplewire.rules.schema import Schema

FIXTURES = Path(__file__).parents[1] / "fixtures" / "rules"
FIGURE_1 = Schema.parse(FIXTURES / "figure1.ttl")
FIGURE_2 = Schema.parse(FIXTURES / "figure2.ttl")
MERGED = FIGURE_1.merge(FIGURE_2)

DC = Namespace("http://purl.org/dc/elements/1.1/")
EXT1 = Namespace("http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/user")
EXT3 = Namespace("http://www.dcs.bbk.ac.uk/~gpapa05/semapeer/lo")
SELENE = Namespace("http://www.dcs.bbk.ac.uk/selene/schema#")
LOS = Namespace("http://www.dcs.bbk.ac.uk/LOs/")
USERS = Namespace("http://www.dcs.bbk.ac.uk/users/")
