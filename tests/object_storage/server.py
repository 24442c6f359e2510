"""A real server that speaks S3, on loopback, with a folder of its own."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyarrow import fs

_PATIENCE_SECONDS = 60.0
USER, SECRET = "triplewire", "a-secret-for-tests"


class Server:
    """Where it is, and how to get in."""

    def __init__(self, port: int) -> None:
        self.options = {
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
            "AWS_ACCESS_KEY_ID": USER,
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "AWS_REGION": "us-east-1",
        }
        self.files = fs.S3FileSystem(
            access_key=USER,
            secret_key=SECRET,
            endpoint_override=f"127.0.0.1:{port}",
            scheme="http",
            region="us-east-1",
            allow_bucket_creation=True,
            allow_bucket_deletion=True,
        )

    def make_bucket(self, name: str) -> str:
        self.files.create_dir(name)
        return f"s3://{name}"

    def drop_bucket(self, name: str) -> None:
        self.files.delete_dir(name)

    def upload(self, folder: Path, to: str) -> None:
        """Put the files of a folder under `BUCKET/KEY`."""
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            with self.files.open_output_stream(f"{to}/{path.relative_to(folder).as_posix()}") as stream:
                stream.write(path.read_bytes())

    def flags(self) -> list[str]:
        """The same for the command line."""
        return [word for key, value in self.options.items() for word in ("--storage-option", f"{key}={value}")]


@contextmanager
def server(program: Path, folder: Path) -> Iterator[Server]:
    """A server for the block."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    environment = {**os.environ, "MINIO_ROOT_USER": USER, "MINIO_ROOT_PASSWORD": SECRET, "MINIO_BROWSER": "off"}
    told = [str(program), "server", str(folder), "--address", f"127.0.0.1:{port}", "--quiet"]
    process = subprocess.Popen(told, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port, process)
        yield Server(port)
    finally:
        process.terminate()
        process.wait()


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while True:
        assert process.poll() is None, "wanted a server of S3, found that it has ended"
        assert time.monotonic() < deadline, "wanted a server of S3 within a minute, found none that answers"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
