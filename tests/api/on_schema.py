"""schemathesis over the OpenAPI document of a real node, as its administrator. Run with `make test-api`."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.node.processes import running

EXAMPLES = os.environ.get("TRIPLEWIRE_API_EXAMPLES", "50")


def test_the_api_is_as_its_document_says(tmp_path):
    program = Path(sys.executable).with_name("schemathesis")
    with running(tmp_path / "data") as node:
        [secret] = re.findall(r"secret, shown this once: (\S+)", node.words())
        # A schema cannot say that a string must be Turtle or a query, so that one check has to be left out.
        command = [
            str(program), "run", f"{node.url}/openapi.json", "--no-color", "--request-timeout", "30",
            "--phases", "examples,coverage,fuzzing", "--exclude-checks", "positive_data_acceptance",
            "--max-examples", EXAMPLES, "-H", f"Authorization: Bearer {secret}",
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
        assert "Traceback" not in node.words()
    assert done.returncode == 0, done.stdout[-20_000:].replace(secret, "[secret]")
