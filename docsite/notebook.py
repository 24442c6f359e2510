"""A notebook that is executed, as a page with what each cell printed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

_PATIENCE = 300


def read(file: Path) -> Any:
    """The notebook as it is kept."""
    return nbformat.read(file, as_version=4)


def executed(file: Path) -> Any:
    """The notebook with the outputs of a run in the folder that it stands in. Raises what a cell raised."""
    notebook = read(file)
    client = NotebookClient(
        notebook,
        timeout=_PATIENCE,
        kernel_name="python3",
        resources={"metadata": {"path": str(file.parent)}},
        # It warns that whoever is on this machine could listen.
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
    )
    client.execute()
    return notebook


def page(notebook: Any) -> str:
    """Its cells in Markdown."""
    return "\n".join(line for cell in notebook.cells for line in _cell(cell))


def _cell(cell: Any) -> Iterator[str]:
    if cell.cell_type == "markdown":
        yield from (cell.source, "")
    elif cell.cell_type == "code":
        yield from ("```python", cell.source, "```", "")
        printed = "".join(_printed(output) for output in cell.outputs).rstrip()
        if printed:
            yield from ("```text", printed, "```", "")


def _printed(output: Any) -> str:
    if output.output_type == "stream":
        return str(output.text)
    return f"{output.data.get('text/plain', '')}\n"
