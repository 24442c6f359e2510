"""The kernels' machine code where tasks run: compiled once, by the driver, and carried to executors that have none.

Compiling takes half a minute of a core and more, in every cold worker process whose installation keeps nothing. So
Spark carries what the driver's installation keeps, three megabytes, once a session; the first process of an executor
that lacks it unpacks it for all of them. What another processor, numba or version of Triplewire has compiled is not
found, and then a worker compiles for itself.
"""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from triplewire.matching.evaluation.interpreter import is_warm
from triplewire.matching.kernels.carried_code import look_also, pack
from triplewire.matching.kernels.machine import JIT, stamp_of_kernels
from triplewire.matching.warm_up import warm_up
from triplewire.pipeline.api_modes import carry, is_here
from triplewire.pipeline.carrying.archives import packed, unpacked

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def carry_kernels(spark: SparkSession) -> None:
    """Have Spark bring the kernels to tasks on other machines; compiles them first, if nobody has (driver's side)."""
    if JIT and not is_here(spark):
        carry(spark, packed(_name()), _write)


def _write(archive: Path) -> None:
    if not is_warm():
        warm_up()
    with tempfile.TemporaryDirectory(prefix="triplewire-kernels-") as folder, tarfile.open(archive, "w") as tar:
        pack(Path(folder))
        tar.add(folder, ".")


def _here() -> Path | None:
    """Where kernels are that were carried to this executor (worker's side)."""
    from pyspark import SparkFiles

    return unpacked(_name()) if SparkFiles._is_running_on_worker else None


def _name() -> str:
    return f"triplewire-kernels-{stamp_of_kernels()}"


look_also(_here)
