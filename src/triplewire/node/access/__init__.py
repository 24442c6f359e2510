"""Who may do what on a node, and how much of it.

access_tokens  for a short time, whoever holds one is a client, where SEPA's protocol is spoken
administrator  made at a node's first start, and given another secret when that one is lost
grants         which part of an event a client may publish or read
identity       who a client of the node is: a key pair names it, a secret authenticates it
               (`network.sessions.identity`)
invitations    secrets that allow somebody new to register
origins        which web pages may talk to a node: those that come from it, and those of origins that
               `--allow-origin` names
rate_limits    events and notifications a second, by client: a bucket that fills with time and is emptied by what
               happens
signed_tokens  what tokens have in common: signed and not stored, and ended by a new secret
stream_tokens  for a short time, whoever holds one may open the stream of one subscription
"""
