from __future__ import annotations

from triplewire.rdf.limits import DEFAULT_LIMITS, Limits, exceeded


def test_defaults_are_those_of_the_documentation() -> None:
    assert (
        Limits(
            event_bytes=1_048_576,
            document_bytes=67_108_864,
            expanded_bytes=268_435_456,
            quads=10_000,
            literal_length=262_144,
            iri_length=8_192,
            depth=64,
        )
        == DEFAULT_LIMITS
    )


def test_the_error_names_the_limit_what_was_allowed_and_what_was_found() -> None:
    error = exceeded("quads", 10, "too many quads", 11)
    assert (error.limit, error.allowed) == ("quads", 10)
    assert str(error) == "too many quads: wanted at most 10 (quads), found 11"
