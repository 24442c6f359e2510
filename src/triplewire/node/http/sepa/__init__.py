"""SEPA's protocol over HTTP and WebSocket: the paths that its clients read from a JSAP file, and those that one of them
has built in.

oauth     `/oauth/register`, `/oauth/token`: clients register, and get a token for a while
protocol  `/sepa/query`, `/sepa/update`, `/sepa/subscribe`, and the same below `/secure`
refusals  errors in SEPA's form, wherever in the application they come from
"""
