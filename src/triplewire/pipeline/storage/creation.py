"""Files that are created once, whoever tries: of several writers at the same moment exactly one succeeds.

Object storages do it by a put on condition, which pyarrow.fs does not have; obstore does.
"""

from __future__ import annotations

import uuid
from datetime import timedelta

from triplewire.pipeline.storage.delta import client_options, delta_uri, store_options
from triplewire.pipeline.storage.file_systems import file_system, path_in_system, storage_error
from triplewire.pipeline.storage.files import find_file, replace_bytes
from triplewire.pipeline.storage.location import HDFS, Location
from triplewire.system.durable_files import create_file, sync

_RETRIES = {"max_retries": 5, "retry_timeout": timedelta(seconds=30)}


def create_bytes(location: Location, data: bytes) -> None:
    """Write a file that must not be there yet, whole and for good, or raise `FileExistsError`."""
    if location.is_local:
        _create_here(location, data)
    elif location.scheme == HDFS:
        _create_by_rename(location, data)
    else:
        _put_on_condition(location, data)


def _create_here(location: Location, data: bytes) -> None:
    path = location.local
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name[:100]}.{uuid.uuid4().hex[:12]}.part")
    try:
        create_file(draft, data)
        # A link is refused where there is a file, and what it names is whole.
        path.hardlink_to(draft)
    finally:
        draft.unlink(missing_ok=True)
    sync(path.parent)


def _create_by_rename(location: Location, data: bytes) -> None:
    """HDFS refuses to rename onto a file."""
    draft = location.parent / f".{location.name}.{uuid.uuid4().hex[:12]}.part"
    replace_bytes(draft, data)
    try:
        file_system(location).move(path_in_system(draft), path_in_system(location))
    except OSError as error:
        if find_file(location) is not None:
            raise FileExistsError(location.uri) from None
        raise storage_error(location, "create a file", error) from None


def _put_on_condition(location: Location, data: bytes) -> None:
    import obstore
    from obstore.exceptions import AlreadyExistsError, BaseError, PreconditionError
    from obstore.store import from_url

    folder = location.parent
    try:
        ours = {"config": store_options(folder), "client_options": client_options(folder), "retry_config": _RETRIES}
        store = from_url(delta_uri(folder), **ours)  # type: ignore[call-overload]
        obstore.put(store, location.name, data, mode="create")
    except (AlreadyExistsError, PreconditionError):
        raise FileExistsError(location.uri) from None
    except (BaseError, OSError, ValueError) as error:
        raise storage_error(location, "create a file", error) from None
