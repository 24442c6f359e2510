"""What the page in the browser shows, and the page itself. All but the page's own files are there for any client.

figures        `/me` and `/overview`: who asks, and what the node has and does
page           `/` and `/assets`: the files of the page, as they were built
pauses         `/subscriptions/{name}/pause` and `/resume`, and of views: nothing is handed out for a while
recent_events  `/events/recent`: the newest events as they come, a sample of them where they are many
rule_base      `/analysis`: what the analysis says of all rules, also with one that is not registered yet
trials         `/trials` and `/subscriptions/{name}/history`: a query over events that are in the log already
vocabulary     `/vocabulary`: classes, properties and prefixes of the newest events
"""
