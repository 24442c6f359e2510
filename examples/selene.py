"""The SeLeNe scenario of the RDFTL paper: users with interests, new learning objects, and rules that tell the users.

`make demo-rules` runs this. The same from the command line:

    triplewire rules check examples/selene/messages.rdftl --schema examples/selene/schema.ttl
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from triplewire.cli.rules.findings import findings
from triplewire.cli.rules.graphs import read_data
from triplewire.cli.rules.trace import entries_shown, summary
from triplewire.languages.rdftl import read_rules, read_updates
from triplewire.rdf.prefixes import WELL_KNOWN
from triplewire.rdf.terms import Literal, NamedNode, Namespace, Term
from triplewire.rules.analysis import Analysis
from triplewire.rules.commutativity import by_analysis
from triplewire.rules.execution import Rulebook, Runner
from triplewire.rules.repository import Repository
from triplewire.rules.schema import Schema

HERE = Path(__file__).parent / "selene"
S = Namespace("http://example.org/selene/")
TITLE = NamedNode(WELL_KNOWN["dc"] + "title")
PREFIXES = {**WELL_KNOWN, "s": S, "u": "http://example.org/users/", "lo": "http://example.org/los/"}


def main() -> None:
    console = Console(highlight=False)
    schema = Schema.parse(HERE / "schema.ttl")
    rules = read_rules(HERE / "messages.rdftl")
    analysis = Analysis(rules, schema)
    console.print(Text("What the analysis says of the rules", style="bold"))
    for finding in findings(analysis, None, PREFIXES):
        console.print(Text(f"  {finding.label:<18}{finding.text}"))

    repository = Repository(schema)
    repository.load(read_data(HERE / "users.ttl"))
    runner = Runner(repository, Rulebook(schema, rules), commutes=by_analysis(analysis))
    outcome = runner.run(read_updates(HERE / "updates.rdftl"))
    console.print(Text("\nWhat the updates did, and which rules fired because of them", style="bold"))
    for line in (*entries_shown(outcome.entries, PREFIXES, in_full=True), summary(outcome)):
        console.print(Text(f"  {line}"))
    console.print(messages(repository))


def messages(repository: Repository) -> Table:
    """What each user finds among the messages."""
    table = Table(title="\nMessages", title_justify="left", title_style="bold", box=SIMPLE_HEAD, pad_edge=False)
    for heading in ("user", "new", "updated", "unread"):
        table.add_column(heading, overflow="fold")
    for user in sorted(repository.match(None, S["name"], None), key=str):
        kept = next(reached(repository, user.subject, "messages"))
        lists = ("\n".join(titles(repository, kept, name)) for name in ("new_LOs", "updated_LOs"))
        unread = "".join(_text(term) for term in reached(repository, kept, "unread"))
        table.add_row(*map(Text, (_text(user.object), *lists, unread)))
    return table


def titles(repository: Repository, kept: Term, name: str) -> Iterator[str]:
    """The titles of the learning objects in a list."""
    for container in reached(repository, kept, name):
        for element in sorted(repository.match(container, None, None), key=str):
            yield from (_text(title.object) for title in repository.match(element.object, TITLE, None))


def reached(repository: Repository, node: Term, name: str) -> Iterator[Term]:
    """Where an arc of the schema leads."""
    return (triple.object for triple in repository.match(node, S[name], None))


def _text(term: Term) -> str:
    return term.value if isinstance(term, Literal) else str(term)


if __name__ == "__main__":
    main()
