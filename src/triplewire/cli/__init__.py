"""The command line: arguments in, words out.

    agents      what agents start: `triplewire mcp`
    app         its commands and `--version`
    covers      `triplewire covers`: can what a peer advertises satisfy the subscription?
    demo        `triplewire demo`: a library's node to look at, with nothing to prepare
    explain     `triplewire explain`: how is a subscription matched, and what does it require of an event?
    federation  rules across super-peers: `--scope network`, `rules relevant`, `privileges`
    generate    `triplewire generate`: events and subscriptions in any number, the same for the same seed
    inputs      paths and standard input become events, subscriptions and taxonomies
    invocation  what every command does with arguments and errors
    jsap        `triplewire jsap …`: the queries and updates of a JSAP file, by name
    manual      `triplewire man`: manual pages, made from the program itself
    match       `triplewire match`: which subscriptions do these events satisfy, and with what answers?
    names       Turtle's short forms, with the prefixes that everybody knows
    network     `triplewire network …`: keys, a whole network on this machine, and what a super-peer knows
    node        commands that run a node or talk to one over HTTP
    peer        `triplewire peer …`: a peer of the network, with a home folder of its own
    pipeline    `triplewire pipeline …`: matching on Spark, over files, streams and history
    reasons     what a solution stands on, for people
    rules       `triplewire rules …`: check, run and explain RDFTL rules
    screen      consoles, tables and progress
    space       `triplewire space …`: an event space on this machine, its tiling, and how it answers a query
    subsumes    `triplewire subsumes A B`: is every answer of B, over any event, an answer of A?
    upkeep      what is done to a node's data folder on the machine where it is
    verdicts    one sentence, and the exit code
    why         `triplewire why …`: does an event satisfy a query, and why, or why not; what does an answer stand on?

Results go to standard output, everything else to standard error.
"""

from triplewire.cli.app import main

__all__ = ["main"]
