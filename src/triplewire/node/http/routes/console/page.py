"""`/` and `/assets`: the files of the page, as they were built. They hold nothing of the node's; all may have them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Response
from starlette.exceptions import HTTPException

from triplewire.node.http.openapi import documents, problems
from triplewire.web.built_page import PageFile, asset, index_file

router = APIRouter(tags=["page"])


@router.get("/", response_class=Response, responses=documents("text/html"))
async def page() -> Response:
    """The page in the browser; where it was not built, what to do."""
    return _sent(index_file())


@router.get("/assets/{name}", response_class=Response, responses=documents("*/*") | problems(404))
async def page_asset(name: Annotated[str, Path(max_length=200)]) -> Response:
    """A script, a style sheet or a picture of the page."""
    found = asset(name)
    if found is None:
        raise HTTPException(404, "wanted a file of the page, found none of that name")
    return _sent(found)


def _sent(file: PageFile) -> Response:
    return Response(file.content, media_type=file.media_type, headers=file.headers)
