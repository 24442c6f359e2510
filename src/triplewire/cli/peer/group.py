"""The commands of `triplewire peer`, with an example each."""

from __future__ import annotations

from triplewire.cli.peer import commands, network_rules, repository
from triplewire.cli.peer.home import add, app

_P = "[bold]Example[/bold]\n\ntriplewire peer --home ./alice "

add("init", commands.init_command, f"{_P}--at tcp://127.0.0.1:7171 --key KEY init")
add("status", commands.status_command, f"{_P}status")
add("subscribe", commands.subscribe_command, f"{_P}subscribe 'SELECT ?s WHERE {{ ?s a <http://example.org/Alarm> }}'")
add("unsubscribe", commands.unsubscribe_command, f"{_P}unsubscribe alarms")
add("advertise", commands.advertise_command, f"{_P}advertise --schema http://purl.org/dc/elements/1.1/")
add("publish", commands.publish_command, f"{_P}publish today.nq")
add("listen", commands.listen_command, f"{_P}listen --count 10 | jq .event")
add("notifications", commands.notifications_command, f"{_P}notifications | jq .event")
add("request", commands.request_command, f"{_P}request http://example.org/event/1 papers/hypercup.pdf")
add("move", commands.move_command, f"{_P}--at tcp://127.0.0.1:7272 --key OTHER move")
add("load", repository.load_command, f"{_P}load objects.ttl")
add("update", repository.update_command, f"{_P}update today.rdftl")
add("graph", repository.graph_command, f"{_P}graph --format nt")
add("submit", network_rules.submit_command, network_rules.SUBMIT_EXAMPLE)
add("withdraw", network_rules.withdraw_command, network_rules.WITHDRAW_EXAMPLE)
add("trace", network_rules.trace_command, network_rules.TRACE_EXAMPLE)
app.add_typer(repository.schema_app, name="schema")
app.add_typer(network_rules.app, name="rules")

__all__ = ["app"]
