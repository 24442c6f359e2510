"""The HTTP API: thin routes over the node.

access_log      one line for each request: whose it was, what it asked for, what came of it
app             routes, problem details, and the document that describes them
authentication  the client behind a request, before anything else of it is looked at
bodies          request bodies, read under a limit (row A7)
connections     a request must arrive in time, and what is not read stays few (rows A16 and F5)
descriptions    what the node says of its own interfaces
direct          requests that come thousands of times a second, without FastAPI's preparations
metrics         counters, gauges and a histogram of a node, as families of Prometheus
middleware      the name under which an open node answers, and what browsers let pages do
negotiation     which syntax a client wants, by its Accept header (RFC 9110, section 12.5.1)
openapi         what operations answer, with schemas that are made from the Structs that are sent
paging          a page of a list, and a search in it
problems        errors as problem details (RFC 9457): a type, a title, a status, one sentence, and the error's own
                fields
protocols       protocols of others, by which their clients talk to a node as they are
routes          the routes of the HTTP API, one module for each group of resources
rule_answers    what a node answers about rules and updates, in JSON
sepa            SEPA's protocol: paths, errors and credentials as its clients expect them
"""

from triplewire.node.http.app import create_app

__all__ = ["create_app"]
