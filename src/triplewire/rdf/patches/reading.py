"""Lines to transactions, one at a time.

A transaction that is not complete is an error, never half a patch. One that is given up (`TA`) is read like the others,
and left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pyoxigraph import RdfFormat, parse

from triplewire.errors import InputError, LimitExceeded, SyntaxProblem
from triplewire.rdf.documents import Document, read_document
from triplewire.rdf.formats import NQUADS
from triplewire.rdf.limits import DEFAULT_LIMITS, Limits, exceeded
from triplewire.rdf.parsing.event_grouping import check_terms
from triplewire.rdf.parsing.nesting_depth import check_nesting
from triplewire.rdf.parsing.quads import reason_in
from triplewire.rdf.patches.patch import Patch, PrefixChange
from triplewire.rdf.patches.rows import OPERATIONS, Row, problem, row_of
from triplewire.rdf.terms import Quad, Term


def parse_patches(data: bytes | str, source: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Iterator[Patch]:
    """The committed transactions of a patch that is at hand as a whole.

    >>> [patch] = parse_patches('TX .\\nA <urn:a> <urn:p> "b" <urn:g> .\\nD <urn:a> <urn:p> "c" .\\nTC .')
    >>> len(patch.added), len(patch.removed)
    (1, 1)
    """
    content = data.encode(errors="surrogatepass") if isinstance(data, str) else data
    return read_patches(read_document(content, source=source, limits=limits).data.splitlines(), source, limits)


def read_patches(lines: Iterable[bytes], source: str | None = None, limits: Limits = DEFAULT_LIMITS) -> Iterator[Patch]:
    """The committed transactions of a patch that arrives by lines, such as a file's, each as soon as it is complete.

    However long the whole is, only one transaction is in memory. Raises `SyntaxProblem` with line and column, and
    `LimitExceeded`.
    """
    try:
        yield from _transactions(_rows(lines, limits), limits)
    except InputError as error:
        raise error.located_in(source) from None


def _rows(lines: Iterable[bytes], limits: Limits) -> Iterator[Row]:
    number = 0
    for piece in lines:
        # A lone CR ends a line too, which files do not know of.
        for line in piece.splitlines():
            number += 1
            if len(line) > limits.row_bytes:
                raise exceeded("row_bytes", limits.row_bytes, "row too long", len(line)).standing_at(number)
            row = row_of(_decoded(line, number), number)
            if row is not None:
                yield row


def _decoded(line: bytes, number: int) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        before = line[: error.start].decode()
        raise problem(
            before, number, len(before), "UTF-8", f"the byte 0x{line[error.start]:02X} ({error.reason})"
        ) from None


def _transactions(rows: Iterable[Row], limits: Limits) -> Iterator[Patch]:
    block = _Block(limits)
    for row in rows:
        operation = row.operation
        if operation in _CHANGES:
            block.take(row)
            continue
        if operation not in ("H", "TX", "TC", "TA"):
            row.fail(0, OPERATIONS, f"'{operation[:60]}'")
        if operation in ("H", "TX"):
            _check_outside(block, row)
            if block.has_changes:
                yield block.patch()
                block = _Block(limits)
            block.begin(row)
            continue
        if block.begun_at is None:
            row.fail(0, f"TX before {operation}", "none")
        row.expect_dot()
        finished = block.patch()
        block = _Block(limits)
        if operation == "TC":
            yield finished
    if block.begun_at is not None:
        raise problem("", block.last_line + 1, 0, f"TC or TA for {block.name}", "the end of the patch")
    if block.has_changes or block.headers:
        yield block.patch()


def _check_outside(block: _Block, row: Row) -> None:
    if block.begun_at is not None:
        row.fail(0, f"TC or TA for {block.name} before {row.operation}")


_CHANGES = frozenset(("A", "D", "PA", "PD"))


class _Block:
    """The rows of one transaction, quads still as text."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._quads: list[str] = []
        self._rows: list[Row] = []
        self._prefixes: list[PrefixChange] = []
        self._count = 0
        self.headers: list[tuple[str, Term]] = []
        self.begun_at: int | None = None
        self.last_line = 0

    @property
    def name(self) -> str:
        return f"the transaction of line {self.begun_at}"

    @property
    def has_changes(self) -> bool:
        return bool(self._rows or self._prefixes)

    def begin(self, row: Row) -> None:
        """Take a row that stands before changes: `H` or `TX`."""
        self._counted(row)
        if row.operation == "H":
            self.headers.append(row.header())
        else:
            row.expect_dot()
            self.begun_at = row.line

    def take(self, row: Row) -> None:
        """Take a change."""
        self._counted(row)
        if row.operation == "PA":
            self._prefixes.append(PrefixChange(*row.prefix_added()))
        elif row.operation == "PD":
            prefix, graph = row.prefix_removed()
            self._prefixes.append(PrefixChange(prefix, None, graph))
        else:
            self._quads.append(row.quad())
            self._rows.append(row)

    def _counted(self, row: Row) -> None:
        self._count += 1
        self.last_line = row.line
        if self._count > self._limits.patch_rows:
            error = exceeded("patch_rows", self._limits.patch_rows, "too many rows in one transaction", self._count)
            raise error.standing_at(row.line)

    def patch(self) -> Patch:
        """What the rows come to. The last row about a quad decides."""
        is_there: dict[Quad, bool] = {}
        for row, quad in zip(self._rows, self._parsed(), strict=True):
            is_there[quad] = row.operation == "A"
        return Patch(
            tuple([quad for quad, there in is_there.items() if there]),
            tuple([quad for quad, there in is_there.items() if not there]),
            tuple(self.headers),
            tuple(self._prefixes),
        )

    def _parsed(self) -> list[Quad]:
        """Every row is one line of N-Quads, and has one quad."""
        if not self._quads:
            return []
        document = Document("\n".join(self._quads).encode())
        try:
            check_nesting(document, NQUADS, self._limits)
            found = list(parse(document.data, RdfFormat.N_QUADS))
        except LimitExceeded as error:
            row = self._rows[(error.line or 1) - 1]
            error.line, error.column = row.line, (error.column or 1) + row.rest
            raise
        except SyntaxError as error:
            raise self._problem(error) from None
        self._check_terms(found)
        return found

    def _problem(self, error: SyntaxError) -> SyntaxProblem:
        row = self._rows[min(error.lineno or 1, len(self._rows)) - 1]
        at = min(row.rest + (error.offset or 1) - 1, len(row.text))
        return problem(row.text, row.line, at, f"a triple or quad of N-Quads ({reason_in(error)})")

    def _check_terms(self, quads: list[Quad]) -> None:
        short = min(self._limits.iri_length, self._limits.literal_length)
        for row, quad in zip(self._rows, quads, strict=True):
            if len(row.text) <= short:
                continue
            try:
                check_terms(quad.triple, self._limits, None)
            except LimitExceeded as error:
                raise error.standing_at(row.line) from None
