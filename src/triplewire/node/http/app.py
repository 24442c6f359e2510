"""The application: routes, problem details, and the document that describes them."""

from __future__ import annotations

from importlib.metadata import version

from fastapi import FastAPI

from triplewire.node.http import openapi, problems
from triplewire.node.http.access_log import AccessLog
from triplewire.node.http.descriptions import api_docs
from triplewire.node.http.middleware import CrossOrigin, LoopbackOnly
from triplewire.node.http.protocols.ldes import routes as ldes
from triplewire.node.http.protocols.solid import routes as solid
from triplewire.node.http.protocols.websub import routes as websub
from triplewire.node.http.routes import (
    administration,
    advertisements,
    dead_letters,
    events,
    explanations,
    living,
    network,
    network_rules,
    notifications,
    rules,
    space,
    sparql,
    status,
    subscriptions,
    views,
)
from triplewire.node.http.routes.console import (
    figures,
    page,
    pauses,
    recent_events,
    rule_base,
    trials,
    vocabulary,
)
from triplewire.node.http.sepa import oauth, protocol
from triplewire.node.service import Node

ROUTERS = (
    # Before events, whose names would take its path.
    sparql.router,
    recent_events.router,
    events.router,
    subscriptions.router,
    views.router,
    explanations.router,
    living.router,
    rules.router,
    network_rules.router,
    administration.router,
    advertisements.router,
    network.router,
    space.router,
    status.router,
    notifications.router,
    dead_letters.router,
    protocol.router,
    oauth.router,
    ldes.router,
    websub.router,
    solid.router,
    api_docs.router,
    page.router,
    figures.router,
    pauses.router,
    rule_base.router,
    trials.router,
    vocabulary.router,
)


def create_app(node: Node) -> FastAPI:
    """The HTTP side of a node. Whoever opened the node begins and stops it."""
    app = FastAPI(
        title="Triplewire",
        version=version("triplewire"),
        summary="A durable broker for RDF events and standing queries",
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
    )
    app.state.node = node
    if node.settings.origins:
        app.add_middleware(CrossOrigin, origins=node.settings.origins)
    if node.settings.open:
        app.add_middleware(LoopbackOnly)
    if node.settings.access_log:
        # The last one is the first that a request passes.
        app.add_middleware(AccessLog)
    problems.install(app)
    for router in ROUTERS:
        app.include_router(router)
    app.router.routes.insert(0, living.PLAIN_UPDATE)
    openapi.complete(app)
    return app
