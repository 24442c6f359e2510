"""The command line: arguments in, words out.

    app        the program: its commands and `--version`
    match      which subscriptions do these events satisfy?
    explain    how is a subscription matched?
    subsumes   is every answer of one subscription an answer of another?
    why        does an event satisfy a query, and why not?
    covers     can what a peer advertises satisfy a subscription?
    generate   events and subscriptions in any number
    serve      run a node
    publish, subscribe, subscriptions, query, feed, clients, dead_letters
               talk to a node
    network    key, up, show: networks of super-peers (network_key, network_up with its processes, demo and traffic,
               network_show)
    pipeline   match, stream, backfill, replay, profile, compact: on Spark

    invocation what every command does with arguments and with trouble
    inputs     paths and standard input become events, subscriptions, taxonomies
    remote     where the node is, and with which secret
    answering  yes or no, and why
    bindings   solutions in SPARQL 1.1's JSON form
    names      terms as people read them
    screen     consoles, tables and progress; nothing from outside reaches a terminal unescaped

Results go to standard output, everything else to standard error.
"""

from triplewire.cli.app import main

__all__ = ["main"]
