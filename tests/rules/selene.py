"""The schemas of figures 1 and 2, the IRIs that the paper's examples name, and example 3."""

from __future__ import annotations

from pathlib import Path

from triplewire.languages.rdftl import parse_rule
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

NAMESPACES = f"""
USING NAMESPACE dc {DC}
USING NAMESPACE ext1 {EXT1}
USING NAMESPACE ext3 {EXT3}
"""

EXAMPLE_3 = parse_rule(
    NAMESPACES
    + """LET $new_los := resource(http://www.dcs.bbk.ac.uk/users/128)
                /target(ext3:messages)/target(ext3:new_LOs)
ON INSERT resource() AS INSTANCE OF LO
IF $delta/target(dc:subject)
    = resource(http://www.dcs.bbk.ac.uk/users/128)
      /target(ext1:interests)/element()/target(ext1:interest_typename)
DO INSERT ($new_los,seq++,$delta);;""",
    id="r",
)
