"""What crosses the wire between a node and its clients, and must be spelled the same on both ends.

    answers         what a node answers in JSON: one Struct an answer, from which the OpenAPI document is made as well
    change_patches  changes of the living graph as RDF Patch: one transaction each, which says where it stands
    console         what people look at: a node's figures, events as they come, trials of a query, matches over time
    eventstream     server-sent events, as the HTML standard frames them (section 9.2.6), both ways
    network_rules   rules across super-peers: what a node answers about rules, whom they concern, and transactions
    networks        what a node reports of its network: the body of `GET /network`
    peer_requests   what the owner of a peer asks its super-peer about rules, and the answers
    reasons         why: what a solution stands on
    schedules       how a schedule went: its transactions, the firings in them, and who aborts with whom
    sepa            SEPA's protocol: frames of its WebSocket and bodies of its HTTP answers, both ways
    signatures      signed webhooks (row A14), in the form of the Standard Webhooks specification, so that its libraries
                    verify ours
    spaces          what a node reports of its event space: the body of `GET /space`

All are pure: bytes and values in, values and bytes out.
"""
