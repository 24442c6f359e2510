"""A Spark session: local by default, a cluster by its master's address, or a Spark Connect server by `sc://HOST:PORT`.

What Spark and its workers say goes to a file, so that a terminal shows a progress bar and not a log; if the session
cannot be started, the end of that file is part of the error. A session that is taken over from the caller is left
running; one that is made here is stopped when its block ends, however it ends.
"""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from triplewire.errors import InputError, SparkUnavailable
from triplewire.extras import needing
from triplewire.pipeline.api_modes import parallelism
from triplewire.pipeline.interrupts import deferred_interrupts, patient_interrupts

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_LOGGER = logging.getLogger(__name__)

DEFAULT_MASTER = "local[*]"
OLDEST_JAVA = 17
_CONNECT_SECONDS = 5.0
_TOLD = 1_500
_PYTHON_SETTING = "spark.pyspark.python"
_PYTHON_VARIABLE = "PYSPARK_PYTHON"
_UMASK_SETTING = "spark.hadoop.fs.permissions.umask-mode"
_JAVA_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_CONNECT_ADDRESS = re.compile(r"^sc://(?P<host>[^:/;]+)(?::(?P<port>\d+))?(?:/.*)?$")
_CONNECT_PORT = 15002
_CONNECT_PACKAGES = ("grpc", "grpc_status", "zstandard")
_SPARK_ADDRESS = re.compile(r"^(?P<host>[^:,/]+):(?P<port>\d+)$")

# What belongs to a session; the rest belongs to Spark's driver, where a Connect client has no say.
_OF_A_SESSION = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
    "spark.sql.execution.pyspark.udf.simplifiedTraceback.enabled": "true",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.compression.codec": "zstd",
}
_ALWAYS = {
    **_OF_A_SESSION,
    "spark.python.worker.reuse": "true",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
}
_LOCALLY = {
    "spark.ui.enabled": "false",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.sql.shuffle.partitions": "8",
}


class SessionSettings(Struct, frozen=True):
    """Where Spark runs, and what is set there. `conf` wins over everything that is set here.

    `remote` is the address of a Spark Connect server, instead of a master's.
    """

    master: str | None = None
    conf: Mapping[str, str] = field(default_factory=dict)
    name: str = "triplewire"
    remote: str | None = None

    def __post_init__(self) -> None:
        if self.master is not None and self.remote is not None:
            raise InputError(wanted="a master or a Spark Connect server", found=f"{self.master} and {self.remote}")

    @property
    def is_local(self) -> bool:
        return (self.master or DEFAULT_MASTER).startswith("local")


@contextmanager
def spark_session(settings: SessionSettings = SessionSettings()) -> Iterator[SparkSession]:  # noqa: B008  immutable
    """A session for the block. Raises `SparkUnavailable` with the reason, before anything is started if it can."""
    require_pyspark()
    if settings.remote is None:
        require_java()
        require_master(settings.master)
    else:
        require_connect(settings.remote)
    from pyspark.sql import SparkSession

    active = SparkSession.getActiveSession()
    if active is not None:
        yield active
        return
    with ExitStack() as opened:
        if settings.remote is not None:
            session = _connected(settings.remote, settings)
        else:
            log = opened.enter_context(_log_file())
            opened.enter_context(patient_interrupts())
            session = _started(settings, log)
        try:
            yield session
        finally:
            session.stop()


def require_pyspark() -> None:
    """Raise `MissingExtra` if PySpark is not installed."""
    with needing():
        import pyspark  # noqa: F401


def require_java() -> None:
    """Raise `SparkUnavailable` if there is no Java that Spark can use."""
    home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{home}/bin" if home else None)
    if java is None:
        where = f"JAVA_HOME ({home})" if home else "the search path"
        raise SparkUnavailable(subject="Spark", wanted=f"Java {OLDEST_JAVA} or later", found=f"no java in {where}")
    output = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    version = _JAVA_VERSION.search(output)
    if version is None or int(version.group(1)) < OLDEST_JAVA:
        found = version.group(1) if version else f"a program that says {output.strip()[:80]!r}"
        raise SparkUnavailable(subject="Spark", wanted=f"Java {OLDEST_JAVA} or later", found=f"{found} at {java}")


def require_master(master: str | None) -> None:
    """Raise `SparkUnavailable` if a standalone master does not answer. Spark itself would try for a minute."""
    if master is None or not master.startswith("spark://"):
        return
    addresses = master.removeprefix("spark://").split(",")
    problems = [problem for address in addresses if (problem := _unreachable(address)) is not None]
    if len(problems) == len(addresses):
        raise SparkUnavailable(wanted=f"a Spark master at {master}", found=f"none: {'; '.join(problems)}")


def require_connect(remote: str) -> None:
    """Raise `MissingExtra` or `SparkUnavailable` if there is no client, or no server. Spark would try for minutes."""
    found = _CONNECT_ADDRESS.match(remote)
    if found is None:
        raise SparkUnavailable(wanted="a Spark Connect server as sc://HOST:PORT", found=repr(remote))
    with needing("connect"):
        # What Connect needs beside PySpark: it would say so in many words, and of one package at a time.
        for package in _CONNECT_PACKAGES:
            import_module(package)
    problem = _unreachable(f"{found['host']}:{found['port'] or _CONNECT_PORT}")
    if problem is not None:
        raise SparkUnavailable(wanted=f"a Spark Connect server at {remote}", found=f"none: {problem}")


def require_workers(spark: SparkSession) -> None:
    """Raise `SparkUnavailable` if Spark's workers cannot import Triplewire."""
    from triplewire.pipeline.failures import explained
    from triplewire.pipeline.split_tasks import importing

    tasks = parallelism(spark)
    with explained():
        spark.range(0, tasks, 1, tasks).mapInArrow(importing, "number long").collect()


def _unreachable(address: str) -> str | None:
    parts = _SPARK_ADDRESS.match(address)
    if parts is None:
        return f"{address!r} is not HOST:PORT"
    try:
        socket.create_connection((parts["host"], int(parts["port"])), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        return f"{address}: {error}"
    return None


def _connected(remote: str, settings: SessionSettings) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.remote(remote)
    try:
        session = builder.getOrCreate()
        for key, value in {**_OF_A_SESSION, **settings.conf}.items():
            _set(session, key, value)
    except PySparkException as error:
        raise SparkUnavailable(wanted=f"a session of Spark Connect at {remote}", found=_first_line(error)) from None
    return session


def _set(session: SparkSession, key: str, value: str) -> None:
    from pyspark.errors import AnalysisException

    try:
        session.conf.set(key, value)
    except AnalysisException as error:
        session.stop()
        raise InputError(
            subject="Spark Connect",
            wanted="settings of a session, since others are set where its server is started",
            found=f"{key}: {_first_line(error)}",
        ) from None


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def _started(settings: SessionSettings, log: Path) -> SparkSession:
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    # An interrupt breaks a call into the JVM, which Py4J would show with its whole stack; some of that goes to the root
    # logger, which prints unless somebody handles it.
    for logger in (logging.getLogger("py4j"), logging.getLogger()):
        logger.addHandler(logging.NullHandler())
    builder = SparkSession.builder.appName(settings.name).master(settings.master or DEFAULT_MASTER)
    here = _LOCALLY if settings.is_local else {}
    for key, value in {**_ALWAYS, **here, _UMASK_SETTING: f"{_umask():03o}", **settings.conf}.items():
        builder = builder.config(key, value)
    try:
        # Broken off, the start of Spark would leave a Java process behind that nobody ends.
        with _stderr_to(log), _worker_python(settings.conf), deferred_interrupts() as pressed:
            session = builder.getOrCreate()
    except (PySparkException, RuntimeError, OSError) as error:
        raise _failure(settings, str(error), log) from None
    except Exception as error:
        # Py4J's own errors come from a package that is Spark's affair, and carry a whole Java stack.
        if type(error).__module__.startswith("py4j"):
            raise _failure(settings, str(error), log) from None
        raise
    _keep_off_the_terminal(session)
    if pressed.is_set():
        session.stop()
        raise KeyboardInterrupt
    return session


@contextmanager
def _worker_python(conf: Mapping[str, str]) -> Iterator[None]:
    """Let workers be the interpreter that is asked for, else this one, which has Triplewire installed.

    PySpark goes by the variable alone, and looks at it once, when a session starts.
    """
    before = os.environ.get(_PYTHON_VARIABLE)
    os.environ[_PYTHON_VARIABLE] = conf.get(_PYTHON_SETTING) or before or sys.executable
    try:
        yield
    finally:
        if before is None:
            del os.environ[_PYTHON_VARIABLE]
        else:
            os.environ[_PYTHON_VARIABLE] = before


def _umask() -> int:
    """Of this process. Spark's writers would go by one of their own, and shut workers of another user out."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _keep_off_the_terminal(session: SparkSession) -> None:
    """Let the logger have what PySpark's server of counters would print: a stack, whenever a task is cancelled."""
    server = getattr(session.sparkContext, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: _LOGGER.warning("Spark's counters could not be read", exc_info=True)


def _failure(settings: SessionSettings, output: str, log: Path) -> SparkUnavailable:
    first = next(
        (line for line in output.splitlines() if "Exception" in line), output.splitlines()[0] if output else ""
    )
    end = log.read_text(errors="replace")[-_TOLD:].strip()
    return SparkUnavailable(
        f"Spark could not be started at {settings.master or DEFAULT_MASTER}: {first}\n{end}".strip()
    )


@contextmanager
def _log_file() -> Iterator[Path]:
    """Where Spark's words go; it outlives the block only if something went wrong in it."""
    handle, name = tempfile.mkstemp(prefix="triplewire-spark-", suffix=".log")
    os.close(handle)
    yield Path(name)
    Path(name).unlink(missing_ok=True)


@contextmanager
def _stderr_to(path: Path) -> Iterator[None]:
    """Let programs that are started in the block write their standard error to a file, also afterwards."""
    sys.stderr.flush()
    ours = os.dup(2)
    log = os.open(path, os.O_WRONLY | os.O_APPEND)
    os.dup2(log, 2)
    try:
        yield
    finally:
        os.dup2(ours, 2)
        os.close(ours)
        os.close(log)
