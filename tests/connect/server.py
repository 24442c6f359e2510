"""A real Spark Connect server on loopback, as docs/cluster.md says to start one, for tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pyspark

LOOPBACK = "127.0.0.1"
_CLASS = "org.apache.spark.sql.connect.service.SparkConnectServer"
_STARTED = re.compile(r"Spark Connect server started at: [^\s]*:(\d+)")
_PATIENCE_SECONDS = 120.0


@contextmanager
def connect_server(folder: Path, master: str, conf: Mapping[str, str], python: str = sys.executable) -> Iterator[str]:
    """A server for the block, and its address. It is ended by its process id."""
    folder.mkdir(parents=True, exist_ok=True)
    settings = {
        "spark.connect.grpc.binding.address": LOOPBACK,
        "spark.connect.grpc.binding.port": "0",
        "spark.driver.host": LOOPBACK,
        "spark.driver.bindAddress": LOOPBACK,
        "spark.driver.memory": "1g",
        "spark.local.dir": str(folder / "local"),
        "spark.ui.enabled": "false",
        "spark.sql.shuffle.partitions": "2",
        **conf,
    }
    program = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    flags = [word for key, value in settings.items() for word in ("--conf", f"{key}={value}")]
    command = [str(program), "--master", master, "--class", _CLASS, *flags, "spark-internal"]
    # The server shall not take itself for a client.
    environment = {key: value for key, value in os.environ.items() if not key.startswith("SPARK_")}
    environment |= {"PYSPARK_PYTHON": python, "PYSPARK_DRIVER_PYTHON": python, "SPARK_CONNECT_MODE": "0"}
    log = folder / "log"
    with log.open("wb") as file:
        process = subprocess.Popen(command, stdout=file, stderr=file, env=environment, cwd=folder)
    try:
        yield f"sc://{LOOPBACK}:{_port(log, process)}"
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _port(log: Path, process: subprocess.Popen[bytes]) -> str:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        found = _STARTED.search(log.read_text(errors="replace"))
        if found is not None:
            return found[1]
        time.sleep(0.2)
    raise RuntimeError(f"wanted a Spark Connect server, found: {log.read_text(errors='replace')[-2_000:]}")
