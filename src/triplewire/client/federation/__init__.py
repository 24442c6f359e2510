"""Rules across super-peers, as a client of one of them asks for them: `Client.federation`.

asynchronous  the same calls, awaited
blocking      each call returns when the super-peer has answered
calls         what is asked for, and what is made of the answers: pure

>>> from triplewire.client import Client
>>> with Client("http://127.0.0.1:8080") as node:                       # doctest: +SKIP
...     rule = node.federation.put_rule("seen", "ON INSERT resource() AS INSTANCE OF LO IF True DO …")
...     for concern in node.federation.relevance(rule.text).concerns:
...         print(concern.super_peer, concern.part, concern.is_concerned, concern.reason)
"""
