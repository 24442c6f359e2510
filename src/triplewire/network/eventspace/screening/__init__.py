"""Screening: what another member has sent is checked before anything is changed by it.

    bodies    bodies of messages
    headers   headers of events, subscriptions and rewritings
    records   chunks of zones, operation by operation
    rows      quadruples

A member may be of a faulty version, or hostile. What is refused raises `MessageRefused`, and has changed nothing.
"""
