"""Every setting by flag, by environment and by file, in that order of precedence; and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from triplewire.cli.app import app
from triplewire.errors import InputError
from triplewire.node import serve as serving
from triplewire.node.settings import Settings, load_settings

# For each setting three values that are not its default: by file, by environment, by flag.
VALUES: dict[str, tuple[Any, Any, Any]] = {
    "data": ("by-file", "by-environment", "by-flag"),
    "host": ("127.0.0.2", "127.0.0.3", "127.0.0.4"),
    "port": (1111, 2222, 3333),
    "open": (True, True, True),
    "log_json": (True, True, True),
    "log_level": ("debug", "warning", "error"),
    "access_log": (True, True, True),
    "event_bytes": (11, 22, 33),
    "event_quads": (1, 2, 3),
    "contexts": ("a.json", "b.json", "c.json"),
    "request_bytes": (11, 22, 33),
    "head_seconds": (1.5, 2.5, 3.5),
    "body_seconds": (1.5, 2.5, 3.5),
    "retention_age": (1.5, 2.5, 3.5),
    "retention_bytes": (11, 22, 33),
    "key_seconds": (1.5, 2.5, 3.5),
    "housekeeping_seconds": (1.5, 2.5, 3.5),
    "rule_seconds": (1.5, 2.5, 3.5),
    "change_quads": (11, 22, 33),
    "merge_events": (True, True, True),
    "query_seconds": (1.5, 2.5, 3.5),
    "query_memory": (11, 22, 33),
    "allow_origin": ("https://a.example", "https://b.example,http://localhost:3000", "https://c.example"),
    "public_url": ("https://a.example", "https://b.example/", "http://c.example:8080"),
    "token_seconds": (1.5, 2.5, 3.5),
    "sepa_token_seconds": (1.5, 2.5, 3.5),
    "sepa_invitations": ("by-file", "by-environment", "by-flag"),
    "allow_loopback_webhooks": (True, True, True),
    "solid_receivers": ("https://a.example", "https://b.example,http://localhost:3000", "https://c.example"),
    "network_key": ("by-file", "by-environment", "by-flag"),
    "join": ("tcp://a:1", "tcp://b:1,tcp://c:2", "tcp://d:1"),
    "network_address": ("tcp://127.0.0.1:1", "tcp://127.0.0.1:2", "tcp://127.0.0.1:3"),
    "join_seconds": (1.5, 2.5, 3.5),
    "network_patience": (1.5, 2.5, 3.5),
    "network_rules": (False, False, False),
    "space": (True, True, True),
    "space_address": ("tcp://127.0.0.1:1", "tcp://127.0.0.1:2", "tcp://127.0.0.1:3"),
    "strategy": ("csma", "osma", "csma"),
    "space_seconds": (1.5, 2.5, 3.5),
    "peers_address": ("tcp://127.0.0.1:1", "tcp://127.0.0.1:2", "tcp://127.0.0.1:3"),
    "peers_seconds": (1.5, 2.5, 3.5),
    "peers_most": (11, 22, 33),
    "peers_invitations": ("by-file", "by-environment", "by-flag"),
}


def test_every_setting_is_here():
    assert set(VALUES) == set(Settings.__struct_fields__)


@pytest.fixture
def served(monkeypatch) -> list[Settings]:
    """The settings with which nodes would be run."""
    seen: list[Settings] = []
    monkeypatch.setattr(serving, "serve", lambda settings, _signals: seen.append(settings))
    # It reads the network's key, and the keys named here do not exist.
    monkeypatch.setattr("triplewire.node.overlay.overlay_settings.overlay_settings", lambda _settings: None)
    monkeypatch.setattr("triplewire.node.space.space_settings.space_settings", lambda _settings: None)
    return seen


def run(*arguments: str) -> None:
    result = CliRunner().invoke(app, ["serve", *arguments])
    assert result.exit_code == 0, result.output


def toml(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else str(value).lower()


@pytest.mark.parametrize("name", VALUES)
def test_by_file_by_environment_and_by_flag(name: str, tmp_path: Path, monkeypatch, served: list[Settings]):
    by_file, by_environment, by_flag = VALUES[name]
    data = [] if name == "data" else ["--data", "somewhere"]
    config = tmp_path / "node.toml"
    config.write_text(f"{name} = {toml(by_file)}\n")
    run(*data, "--config", str(config))
    is_switch = isinstance(by_flag, bool)
    monkeypatch.setenv(f"TRIPLEWIRE_{name.upper()}", str(by_environment).lower() if is_switch else str(by_environment))
    run(*data, "--config", str(config))
    flag = f"--{'no-' if by_flag is False else ''}{name.replace('_', '-')}"
    run(*data, "--config", str(config), *([flag] if is_switch else [flag, str(by_flag)]))
    kind = (
        Path if name in ("data", "network_key", "peers_invitations", "sepa_invitations", "contexts") else type(by_flag)
    )
    assert [getattr(settings, name) for settings in served] == [kind(value) for value in VALUES[name]]


def test_defaults(served: list[Settings]):
    run("--data", "somewhere")
    assert served == [Settings(data=Path("somewhere"))]
    assert not served[0].open
    assert served[0].host == "127.0.0.1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("port", "-1"),
        ("port", "65536"),
        ("port", "http"),
        ("event_bytes", "0"),
        ("request_bytes", "-5"),
        ("housekeeping_seconds", "0"),
        ("housekeeping_seconds", "nan"),
        ("query_seconds", "inf"),
        ("query_memory", "0"),
        ("retention_age", "-1"),
        ("retention_bytes", "-1"),
        ("key_seconds", "0"),
        ("open", "perhaps"),
        ("join_seconds", "0"),
        ("network_patience", "0"),
        ("network_patience", "101"),
    ],
)
def test_what_makes_no_sense_is_refused_with_its_name(name: str, value: str):
    with pytest.raises(InputError, match=rf"\$TRIPLEWIRE_{name.upper()}"):
        load_settings({"data": "d"}, {f"TRIPLEWIRE_{name.upper()}": value})


@pytest.mark.parametrize("content", [b"port = ", b"\xff\xfe", b"colour = 'red'", b"port = 'eighty'"])
def test_a_file_that_is_wrong_is_refused_with_a_sentence(tmp_path: Path, content: bytes):
    config = tmp_path / "node.toml"
    config.write_bytes(content)
    result = CliRunner().invoke(app, ["serve", "--data", str(tmp_path / "d"), "--config", str(config)])
    assert result.exit_code == 2
    assert "wanted settings" in result.output
    assert not (tmp_path / "d").exists()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.1", "example.org", "127.0.0.1.example.org"])
def test_an_open_node_binds_to_loopback_only(host: str):
    with pytest.raises(InputError, match="loopback"):
        load_settings({"data": "d", "open": True, "host": host}, {})
    assert load_settings({"data": "d", "host": host}, {}).host == host


def test_a_wrong_setting_names_where_it_was_given(tmp_path: Path):
    config = tmp_path / "node.toml"
    config.write_text("port = 70000")
    for flags, environment, file, named in (
        ({"port": 70000}, {}, None, "--port = 70000"),
        ({}, {"TRIPLEWIRE_PORT": "70000"}, None, r"\$TRIPLEWIRE_PORT = '70000'"),
        ({}, {}, config, r"port in .*node\.toml = 70000"),
    ):
        with pytest.raises(InputError, match=f"{named}.*65535"):
            load_settings({"data": "d", **flags}, environment, file)


def test_no_folder_names_the_flag_and_the_variable():
    with pytest.raises(InputError, match=r"--data, or \$TRIPLEWIRE_DATA"):
        load_settings({}, {})


def test_an_unknown_setting_names_the_file_and_the_choices(tmp_path: Path):
    config = tmp_path / "node.toml"
    config.write_text("prot = 8080")
    with pytest.raises(InputError, match=r"node\.toml.*port.*found 'prot'"):
        load_settings({"data": "d"}, {}, config)
