"""A node for agents: a server of the Model Context Protocol (MCP) over standard input and output.

resources  subscriptions as resources: their addresses, and what is read there
server     the server, made of tools, resources and watches; needs the extra `mcp`
tools      what an agent may do at a node, each a few words, a schema and a call
watches    tells of resources that have something new, for as long as somebody wants to know
"""
