"""A real standalone cluster on loopback: a master and two workers, from the programs in the pip package."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pyspark

WORKERS = 2
_MASTER = "org.apache.spark.deploy.master.Master"
_WORKER = "org.apache.spark.deploy.worker.Worker"
_PATIENCE_SECONDS = 90.0
_ADDRESS = re.compile(r"Starting Spark master at (spark://\S+)")


@contextmanager
def standalone_cluster(folder: Path) -> Iterator[str]:
    """The master's address, for the block. Everything that was started is ended by its process id."""
    with ExitStack() as stack:
        log = stack.enter_context(_program(folder, "master", _MASTER, "--port", "0", "--webui-port", "0"))
        address = _awaited(log, _ADDRESS)[0]
        for number in range(WORKERS):
            name = f"worker-{number}"
            settings = ("--cores", "2", "--memory", "2g", "--webui-port", "0", "--work-dir", str(folder / name))
            stack.enter_context(_program(folder, name, _WORKER, *settings, address))
        _awaited(log, re.compile("(Registering worker)"), WORKERS)
        yield address


@contextmanager
def _program(folder: Path, name: str, main: str, *arguments: str) -> Iterator[Path]:
    spark_class = Path(pyspark.__file__).parent / "bin" / "spark-class"
    log = folder / f"{name}.log"
    environment = os.environ | {"SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable}
    with log.open("wb") as file:
        # spark-class becomes the Java process itself, so this id is the one to end.
        command = [str(spark_class), main, "--host", "127.0.0.1", *arguments]
        process = subprocess.Popen(command, stdout=file, stderr=file, env=environment)
    try:
        yield log
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _awaited(log: Path, pattern: re.Pattern[str], times: int = 1) -> list[str]:
    """What a program writes to its log, once it has written it so often."""
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while time.monotonic() < deadline:
        found = pattern.findall(log.read_text(errors="replace"))
        if len(found) >= times:
            return found
        time.sleep(0.2)
    end = log.read_text(errors="replace")[-2_000:]
    raise RuntimeError(f"waited {_PATIENCE_SECONDS} s for {times} of {pattern.pattern!r} in {log}, found: {end}")
