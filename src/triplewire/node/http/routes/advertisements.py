"""`/advertisements`: what a client will publish, so that subscriptions elsewhere find their way to this node."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query, Request, Response

from triplewire.errors import Forbidden
from triplewire.network.routing.advertisements.descriptions import MOST_BYTES
from triplewire.node.broker.advertisements import ActiveAdvertisement, described
from triplewire.node.http.authentication import client_of, node_of
from triplewire.node.http.bodies import Base, base_of, media_type_of, read_body
from triplewire.node.http.openapi import BEARER, documents, json_answer, json_response, problems, text_schema
from triplewire.rdf.formats import FORMATS, format_of_media_type
from triplewire.wire.answers import AdvertisementList, AdvertisementView

router = APIRouter(tags=["advertisements"])

_RDF = [form.media_types[0] for form in FORMATS]
_TURTLE = "text/turtle"
_BODY: dict[str, Any] = {
    "requestBody": {"required": True, "content": {kind: {"schema": text_schema(kind)} for kind in _RDF}}
}
Name = Annotated[str, Path(min_length=1, max_length=200, pattern=r"^[^/\x00-\x1f\x7f]+$")]


@router.put(
    "/advertisements/{name}",
    status_code=204,
    responses=problems(400, 401, 403, 413, 415, 429, 507),
    openapi_extra=BEARER | _BODY,
)
async def advertise(
    request: Request,
    name: Name,
    lasts: Annotated[float | None, Query(gt=0, le=1e12, description="Seconds until it has to be said again.")] = None,
    base: Base = None,
) -> Response:
    """Advertise schemas, properties, or properties with values. Under the same name it replaces what was said."""
    node, client = node_of(request), client_of(request)
    if client.rights.publish is None:
        raise Forbidden(wanted="a client that may publish", found="one that may not")
    form = format_of_media_type(media_type_of(request))
    description = described(await read_body(request, MOST_BYTES), form, base_of(request, base))
    await node.advertisements.put(client.id, name, description, lasts)
    return Response(status_code=204)


@router.get(
    "/advertisements",
    responses=json_answer(200, "Advertisements", AdvertisementList) | problems(401),
    openapi_extra=BEARER,
)
async def list_advertisements(request: Request) -> Response:
    """The client's advertisements, and what was derived from its events; an administrator sees everybody's."""
    node, client = node_of(request), client_of(request)
    found = node.advertisements.everyone() if client.rights.is_admin else node.advertisements.of(client.id)
    return json_response(AdvertisementList([_listed(entry) for entry in found]))


@router.get("/advertisements/{name}", responses=documents(_TURTLE) | problems(401, 404), openapi_extra=BEARER)
async def read_advertisement(request: Request, name: Name) -> Response:
    """One advertisement, in Turtle."""
    entry = node_of(request).advertisements.named(client_of(request).id, name)
    return Response(entry.description.rdf, media_type=_TURTLE)


@router.delete("/advertisements/{name}", status_code=204, responses=problems(401, 404, 507), openapi_extra=BEARER)
async def withdraw(request: Request, name: Name) -> Response:
    """Withdraw an advertisement."""
    await node_of(request).advertisements.remove(client_of(request).id, name)
    return Response(status_code=204)


def _listed(entry: ActiveAdvertisement) -> AdvertisementView:
    record = entry.record
    return AdvertisementView(
        id=record.name, owner=record.owner, derived=record.is_derived, ends=record.ends, rdf=entry.description.rdf
    )
