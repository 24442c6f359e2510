"""The general lane in a process of its own, which stays: what crashes there costs that process, not its parent.

    ("check", text)                                                  -> None
    ("ask", (event, taxonomy) or None, text, is_opaque, steps)       -> solutions

Messages are pickled; an error comes back as itself. An event is sent once, with the first question about it.

Resource handling: the process starts with the first question and ends when its parent closes the connection or is gone.
It has a stack far above what the limits on queries allow for, and a limit on its memory.

Error handling: a process that crashes is started again and asked once more; a query that crashes it twice, or that
does not end in time, is BudgetExceeded with the reason, for which the matcher quarantines it (rows A11 and F11).
"""

from __future__ import annotations

import itertools
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

from triplewire.algebra.taxonomy import Taxonomy
from triplewire.errors import BudgetExceeded, InputError
from triplewire.matching.evaluation.budget import Allowance, Budget
from triplewire.matching.evaluation.event_view import EventView
from triplewire.matching.general.datasets import Dataset, check_accepted
from triplewire.matching.general.opaque_terms import SECRET, SECRET_VARIABLE
from triplewire.matching.matches import Solution

_PROGRAM = f"import sys; from {__name__} import main; main(int(sys.argv[1]), int(sys.argv[2]))"
_TRIES = 2
_START_SECONDS = 60.0
_STACK = 64 << 20
_READY = b"ready"
_ALLOWANCE = Allowance()


class IsolatedEvaluator:
    """An `Evaluator` for programs that must go on, from any thread; one question is answered at a time."""

    def __init__(self, allowance: Allowance = _ALLOWANCE) -> None:
        self._allowance = allowance
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None
        self._tokens = itertools.count()
        self._sent_token: int | None = None
        self.crashes = 0

    def dataset(self, view: EventView) -> Dataset:
        return _IsolatedDataset(view, self, next(self._tokens))

    def check(self, text: str) -> None:
        try:
            self._ask(lambda: ("check", text))
        except BudgetExceeded as problem:
            raise InputError(wanted="a query that can be evaluated", found=f"one of which {problem}") from None

    def solutions(self, dataset: _IsolatedDataset, text: str, steps: int, *, is_opaque: bool) -> list[Solution]:
        """The solutions of a query on a dataset of this evaluator."""

        def message() -> tuple[Any, ...]:
            view, is_sent = dataset.view, self._sent_token == dataset.token
            self._sent_token = dataset.token
            return "ask", None if is_sent else (view.event, view.taxonomy), text, is_opaque, steps

        found: list[Solution] = self._ask(message)
        return found

    def start(self) -> None:
        """Start the process, unless it runs. Nobody has to: it only spares the first question the wait."""
        with self._lock, suppress(EOFError, OSError):
            self._ready()

    def close(self) -> None:
        """End the process. It starts again when something is asked."""
        with self._lock:
            self._end()

    @property
    def pid(self) -> int | None:
        """The process, if it runs."""
        return None if self._process is None else self._process.pid

    def _ask(self, message: Callable[[], tuple[Any, ...]]) -> Any:
        with self._lock:
            for _ in range(_TRIES):
                try:
                    outcome = self._exchange(message)
                except (EOFError, OSError):
                    self.crashes += 1
                    self._end()
                    continue
                except BaseException:
                    # Half a conversation cannot be gone on with.
                    self._end()
                    raise
                if isinstance(outcome, BaseException):
                    raise outcome
                return outcome
        raise BudgetExceeded(f"the evaluation crashed, or needed more than {self._allowance.memory >> 20:,} MiB")

    def _exchange(self, message: Callable[[], tuple[Any, ...]]) -> Any:
        connection = self._ready()
        connection.send(message())
        if not connection.poll(self._allowance.seconds):
            raise BudgetExceeded(f"the evaluation did not finish within {self._allowance.seconds:g} s")
        return connection.recv()

    def _ready(self) -> Connection:
        if self._connection is None:
            ours, theirs = Pipe()
            self._connection, self._sent_token = ours, None
            self._process = subprocess.Popen(
                [sys.executable, "-c", _PROGRAM, str(theirs.fileno()), str(self._allowance.memory)],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    SECRET_VARIABLE: SECRET,
                },
                pass_fds=[theirs.fileno()],
                process_group=0,  # an interrupt at the terminal is the parent's to handle
            )
            theirs.close()
            if not ours.poll(_START_SECONDS) or ours.recv_bytes() != _READY:
                raise EOFError
        return self._connection

    def _end(self) -> None:
        process, self._process = self._process, None
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()
        if process is not None:
            process.kill()
            process.wait()


class _IsolatedDataset(Dataset):
    """A dataset whose stores are in the other process."""

    def __init__(self, view: EventView, evaluator: IsolatedEvaluator, token: int) -> None:
        super().__init__(view)
        self.token = token
        self._evaluator = evaluator

    def solutions(self, text: str, budget: Budget) -> list[Solution]:
        return self._evaluator.solutions(self, text, budget.steps, is_opaque=False)

    def opaque_solutions(self, text: str, budget: Budget) -> list[Solution]:
        return self._evaluator.solutions(self, text, budget.steps, is_opaque=True)


# The other process


class _Answering:
    """Holds the event that was sent last."""

    def __init__(self) -> None:
        self._dataset: Dataset | None = None

    def answer(self, message: tuple[Any, ...]) -> Any:
        kind, *arguments = message
        try:
            return check_accepted(*arguments) if kind == "check" else self._solutions(*arguments)
        except Exception as problem:  # noqa: BLE001  raised again for the caller
            return problem

    def _solutions(self, event: tuple[Any, Taxonomy] | None, text: str, is_opaque: bool, steps: int) -> list[Solution]:
        if event is not None:
            self._dataset = Dataset(EventView(*event))
        assert self._dataset is not None, "an event is sent before it is asked about"
        ask = self._dataset.opaque_solutions if is_opaque else self._dataset.solutions
        return ask(text, Budget(steps))


def _serve(connection: Connection) -> None:
    answering = _Answering()
    connection.send_bytes(_READY)
    while True:
        try:
            message = connection.recv()
        except EOFError:
            return
        connection.send_bytes(pickle.dumps(answering.answer(message)))


def main(handle: int, memory: int) -> None:
    """What the other process runs."""
    try:
        import resource
    except ImportError:  # not on Windows
        pass
    else:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    threading.stack_size(_STACK)
    thread = threading.Thread(target=_serve, args=(Connection(handle),), name="triplewire-evaluation")
    thread.start()
    thread.join()
