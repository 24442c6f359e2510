"""What `deploy/` says of a node is so: metrics, files, settings."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest
import yaml
from tests.node.http.serving import NQUADS, QUERY, api_of
from typer.testing import CliRunner

from triplewire.cli.app import app
from triplewire.node.settings import load_settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
DASHBOARD = json.loads((DEPLOY / "grafana/dashboards/triplewire.json").read_text("utf-8"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
DOCKERFILE = (DEPLOY / "Dockerfile").read_text("utf-8")
UNIT = (DEPLOY / "triplewire.service").read_text("utf-8")


def expressions() -> list[str]:
    return [target["expr"] for panel in DASHBOARD["panels"] for target in panel["targets"]]


def ports(published: list[str]) -> set[str]:
    return {each.rpartition(":")[2] for each in published}


async def test_every_metric_of_the_dashboard_is_one_of_the_node(tmp_path: Path):
    async with api_of(tmp_path) as api:
        await api.put("/subscriptions/all", content="SELECT ?s { ?s <urn:p> ?o }", headers=QUERY)
        await api.post("/events", content="<urn:s> <urn:p> <urn:o> <urn:e> .", headers=NQUADS)
        text = (await api.get("/metrics")).text
    there = set(re.findall(r"^(triplewire_\w+)", text, re.MULTILINE))
    named = {name for expression in expressions() for name in re.findall(r"triplewire_\w+", expression)}
    assert len(named) > 15
    assert named - there == set()


def test_every_panel_of_the_dashboard_has_a_place_of_its_own():
    taken = set()
    for panel in DASHBOARD["panels"]:
        place = panel["gridPos"]
        cells = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not cells & taken
        assert place["x"] + place["w"] <= 24
        taken |= cells
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_the_dashboard_asks_the_source_that_is_provisioned():
    [source] = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yaml").read_text())["datasources"]
    assert {panel["datasource"]["uid"] for panel in DASHBOARD["panels"]} == {source["uid"]}
    assert source["url"] == "http://prometheus:9090"


def test_prometheus_reads_the_node_of_the_compose_file():
    [job] = yaml.safe_load((DEPLOY / "prometheus.yaml").read_text())["scrape_configs"]
    [target] = job["static_configs"][0]["targets"]
    host, _, port = target.partition(":")
    assert host in COMPOSE["services"]
    assert f"EXPOSE {port}\n" in DOCKERFILE
    assert ports(COMPOSE["services"]["node"]["ports"]) == {port}
    assert job["authorization"]["credentials_file"] == f"/run/secrets/{COMPOSE['services']['prometheus']['secrets'][0]}"


def test_files_that_the_compose_file_mounts_are_there():
    mounts = [volume for service in COMPOSE["services"].values() for volume in service["volumes"]]
    local = [DEPLOY / mount.partition(":")[0] for mount in mounts if mount.startswith("./")]
    assert len(local) == 3
    assert [path for path in local if not path.exists()] == []
    assert {mount.partition(":")[0] for mount in mounts if not mount.startswith("./")} == set(COMPOSE["volumes"])
    build = COMPOSE["services"]["node"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).is_file()


def test_the_image_is_copied_from_what_the_context_lets_in():
    let_in = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    copied = {path for line in re.findall(r"^COPY (.*) \S+$", DOCKERFILE, re.MULTILINE) for path in line.split()}
    assert copied == let_in
    assert [path for path in copied if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("text", [DOCKERFILE, UNIT], ids=["image", "unit"])
def test_the_settings_that_it_gives_are_settings(text: str):
    environment = dict(re.findall(r"\b(TRIPLEWIRE_[A-Z_]+)=(\S+)", "\n".join(code_lines(text))))
    command = re.search(r"^ExecStart=\S+/triplewire (.*)$", text, re.MULTILINE)
    words = shlex.split(command[1]) if command else ["serve"]
    assert CliRunner().invoke(app, [*words, "--help"]).exit_code == 0
    flags = {"data": words[words.index("--data") + 1]} if command else {}
    assert load_settings(flags, environment).data.is_absolute()


def code_lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_nobody_runs_as_root():
    assert re.search(r"^USER triplewire$", DOCKERFILE, re.MULTILINE)
    assert "DynamicUser=yes" in UNIT


def test_systemd_is_told_when_the_node_is_ready():
    assert "Type=notify\n" in UNIT
    # The system calls that a notification needs.
    assert "AF_UNIX" in UNIT
