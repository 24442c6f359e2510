"""The HTTP API: thin routes over the node.

app            puts it together
access         who asks
hosts          under which name an open node answers
cross_origin   what browsers let pages from elsewhere do
bodies         request bodies under a limit
connections    what one connection may hold
negotiation    which syntax is wanted
problems       errors as RFC 9457 problem details
events, subscriptions, explanations, rules, sparql, administration, status
               the routes
documented, documented_rules
               what the OpenAPI document says of answers
"""

from triplewire.node.http.app import create_app

__all__ = ["create_app"]
