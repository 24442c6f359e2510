"""What agents start.

mcp  `triplewire mcp`: a node as a server of the Model Context Protocol
"""
