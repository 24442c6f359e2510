"""Solutions in SPARQL 1.1's JSON form, as `triplewire match` prints them."""

from __future__ import annotations

from triplewire.rdf.sparql_json import json_binding, json_term

__all__ = ["json_binding", "json_term"]
