from __future__ import annotations

import pytest

from triplewire.errors import InputError
from triplewire.pipeline.storage.options import endpoint_of, merged_options, region_of


def test_case_does_not_matter():
    assert merged_options({"aws_endpoint_url": "http://h:1"}) == {"AWS_ENDPOINT_URL": "http://h:1"}


def test_an_option_that_nobody_knows_is_refused():
    with pytest.raises(InputError, match=r"AWS_ACCESS_KEY_ID.*found FS\.S3A\.KEY"):
        merged_options({"fs.s3a.key": "x"})


def test_the_more_particular_variable_counts():
    options = {"AWS_ENDPOINT_URL": "http://a", "AWS_ENDPOINT_URL_S3": "http://b", "AWS_DEFAULT_REGION": "r"}
    assert (endpoint_of(options), region_of(options)) == ("http://b", "r")
