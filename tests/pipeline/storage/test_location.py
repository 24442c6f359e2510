"""What paths and URIs mean, and that secrets do not show."""

from __future__ import annotations

import pickle

import pytest

from triplewire.errors import InputError
from triplewire.pipeline.storage.location import Location

SECRET = {"AWS_ACCESS_KEY_ID": "me", "AWS_SECRET_ACCESS_KEY": "hush"}


@pytest.mark.parametrize(
    ("given", "uri"),
    [
        ("lake", "lake"),
        ("file:///a%20b/*.nq", "/a b/*.nq"),
        ("FILE://localhost/a", "/a"),
        ("a:b", "a:b"),
        ("x/s3a://b", "x/s3a://b"),
        ("s3a://bucket/lake/", "s3://bucket/lake"),
        ("S3://b/*.nq", "s3://b/*.nq"),
        ("gs://b", "gs://b"),
        ("hdfs://name:9000/x", "hdfs://name:9000/x"),
        ("abfss://c@a.dfs.core.windows.net/x", "abfss://c@a.dfs.core.windows.net/x"),
    ],
)
def test_what_a_uri_means(given, uri):
    location = Location.of(given)
    assert location.uri == uri
    assert Location.of(location.uri) == location


@pytest.mark.parametrize("given", ["ftp://host/x", "file://host/x", "file://", "s3:///x", "http://host/feed.nq"])
def test_a_storage_that_nobody_reads_is_refused(given):
    with pytest.raises(InputError, match="wanted"):
        Location.of(given)


def test_what_is_under_a_location():
    lake = Location.of("s3://bucket/lake", SECRET)
    part = lake / "events" / "a.parquet"
    assert (part.uri, part.name, part.parent) == ("s3://bucket/lake/events/a.parquet", "a.parquet", lake / "events")
    assert part.relative_to(lake) == "events/a.parquet"
    assert part.options["AWS_SECRET_ACCESS_KEY"] == "hush"


def test_options_travel_and_do_not_show():
    location = Location.of("s3://bucket/lake", SECRET)
    assert pickle.loads(pickle.dumps(location)) == location
    assert "hush" not in f"{location!r} {location}"


def test_the_environment_counts_and_what_is_given_wins(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "env")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "env")
    monkeypatch.setenv("AWS_REGION", "eu-west-1")
    assert Location.of("s3://b/x", SECRET).options == {**SECRET, "AWS_REGION": "eu-west-1"}
    assert Location.of("gs://b/x").options == {}


def test_half_a_pair_of_keys_is_refused(monkeypatch):
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY", raising=False)
    with pytest.raises(InputError, match="AWS_ACCESS_KEY_ID alone"):
        Location.of("s3://b/x", {"AWS_ACCESS_KEY_ID": "me"})


def test_only_a_local_location_has_a_path_here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert Location.of("a").absolute().local == tmp_path / "a"
    with pytest.raises(InputError, match="wanted a path on this machine"):
        _ = Location.of("s3://b/x").local
