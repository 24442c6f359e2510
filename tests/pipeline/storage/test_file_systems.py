from __future__ import annotations

import pytest

from triplewire.errors import StorageError
from triplewire.pipeline.storage.file_systems import explained, path_in_system
from triplewire.pipeline.storage.location import Location

REMOTE = Location.of("s3://bucket/a/b", {})


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("When listing: AWS Error NO_SUCH_BUCKET during ListObjectsV2 operation", "no such bucket"),
        ("AWS Error ACCESS_DENIED during HeadObject operation", "access denied"),
        ("AWS Error SIGNATURE_DOES_NOT_MATCH during PutObject", "a secret that is not the key's"),
        ("AWS Error NETWORK_CONNECTION during HeadObject: curlCode: 7", "no server that answers"),
    ],
)
def test_what_a_storage_says_is_said_in_one_sentence(said, reason):
    with pytest.raises(StorageError, match=f"wanted to read, found {reason} .*") as caught, explained(REMOTE, "read"):
        raise OSError(said)
    assert caught.value.source == "s3://bucket/a/b"


def test_what_the_local_system_says_stays(tmp_path):
    with pytest.raises(PermissionError), explained(Location.of(tmp_path), "read"):
        raise PermissionError(13, "Permission denied")


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("s3://b/x", "b/x"),
        ("abfss://files@a.dfs.core.windows.net/x", "files/x"),
        ("hdfs://n/x/y", "/x/y"),
        ("a/b", "a/b"),
    ],
)
def test_the_path_in_the_file_system(uri, path):
    assert path_in_system(Location.of(uri, {})) == path
