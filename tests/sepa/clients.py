"""SEPA's real clients as processes, told what to do line by line, each in the same words."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Any

HERE = Path(__file__).parent
FOLDER = Path(os.environ.get("TRIPLEWIRE_SEPA_CLIENTS", ".venv/sepa")).absolute()
PATIENCE = 30.0
LANGUAGES = ("javascript", "python")


class RealClient:
    """One process with one client in it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process
        self._told: queue.Queue[dict[str, Any]] = queue.Queue()
        self._waiting: list[dict[str, Any]] = []
        Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._told.put(json.loads(line))

    def does(self, what: str, **members: Any) -> dict[str, Any]:
        """Let it do something; what came of it, `done` or `failed`."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": what, **members}) + "\n")
        self._process.stdin.flush()
        return self._next(lambda told: told["event"] in ("done", "failed") or told.get("text") == "timeout")

    def query(self, sparql: str) -> list[dict[str, Any]]:
        answer = self.does("query", sparql=sparql)
        assert answer["event"] == "done", answer
        bindings: list[dict[str, Any]] = answer["result"]["results"]["bindings"]
        return bindings

    def update(self, sparql: str) -> None:
        answer = self.does("update", sparql=sparql)
        assert answer["event"] == "done", answer

    def subscribe(self, name: str, sparql: str) -> dict[str, Any]:
        """Subscribe; the first notification."""
        self.does("subscribe", name=name, sparql=sparql)
        return self.told(name)

    def told(self, name: str, event: str = "notification") -> dict[str, Any]:
        """What the subscription of that name is told next."""
        return self._next(lambda told: (told["event"], told.get("name")) == (event, name))

    def _next(self, wanted: Any) -> dict[str, Any]:
        for told in self._waiting:
            if wanted(told):
                self._waiting.remove(told)
                return told
        while True:
            told = self._told.get(timeout=PATIENCE)
            if wanted(told):
                return told
            self._waiting.append(told)

    @property
    def unheard(self) -> list[dict[str, Any]]:
        """What was told, and nobody asked for."""
        while not self._told.empty():
            self._waiting.append(self._told.get())
        return self._waiting


@contextmanager
def real_client(language: str, profile: Path, *credentials: str, authority: Path | None = None) -> Iterator[RealClient]:
    """A client that reads where its server is from a JSAP file; `authority` is whose certificates it believes.

    Credentials are `identity IDENTITY`, or in JavaScript `client ID SECRET`.
    """
    command = {
        "javascript": ["node", str(HERE / "driver.js"), str(FOLDER / "js"), str(profile), *credentials],
        "python": [sys.executable, str(HERE / "driver.py"), str(profile), *credentials],
    }[language]
    environment = os.environ | {"PYTHONPATH": str(FOLDER / "py"), "NO_PROXY": "*"}
    if authority is not None:
        environment["NODE_EXTRA_CA_CERTS"] = str(authority)
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8", env=environment
    )
    try:
        yield RealClient(process)
    finally:
        process.kill()
        process.communicate()
