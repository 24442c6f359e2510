"""Commands that run a node or talk to one over HTTP.

changes        `triplewire changes`: what has changed in the living graph of a node, as RDF Patch
clients        `triplewire clients`: who may talk to a node; `--register` makes a new one, `reset-admin` another secret
dead_letters   `triplewire dead-letters`: notifications that were given up; `--send` tries one again
feed           `triplewire feed`: RSS 1.0, RSS 2.0 and Atom become events of a node: one poller for all readers
graph          `triplewire graph`: the graphs of a node's living graph: get, put, post, delete, patch
processes      nodes as processes of their own, on loopback: started, waited for, and ended
publish        `triplewire publish`: send events to a node
query          `triplewire query`: ask the living graph of a node, or the events that it keeps
remote         what every command that talks to a node shares: where it is, and with which secret
schema         `triplewire schema`: what the default graph of a node's living graph conforms to: get, put
serve          `triplewire serve`: run a node
subscribe      `triplewire subscribe`: leave a standing query at a node, and print what it finds, live
subscriptions  `triplewire subscriptions`: what stands at a node: list, show, delete, reset
update         `triplewire update` and `withdraw`: change the living graph by SPARQL Update or by RDFTL, or do not
views          `triplewire views`: standing queries over the living graph: put, list, show, read, explain, reset, delete
"""
