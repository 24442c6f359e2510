from __future__ import annotations

from triplewire.pipeline.storage.delta import delta_options, delta_uri
from triplewire.pipeline.storage.location import Location


def test_a_server_of_one_s_own_is_reached_by_its_address(tmp_path):
    given = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
    found = delta_options(Location.of("s3a://b/lake", given))
    assert {key: value for key, value in found.items() if key.startswith("aws")} == {
        "aws_endpoint_url": "http://127.0.0.1:9",
        "aws_access_key_id": "a",
        "aws_secret_access_key": "b",
        "aws_allow_http": "true",
        "aws_region": "us-east-1",
    }
    assert delta_uri(Location.of("s3a://b/lake", given)) == "s3://b/lake"


def test_a_local_table_is_named_by_its_whole_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert delta_uri(Location.of("lake")) == str(tmp_path / "lake")
