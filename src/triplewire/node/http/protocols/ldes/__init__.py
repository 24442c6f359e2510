"""Linked Data Event Streams: the log as pages that TREE's clients follow.

documents  pages and what leads to them, as RDF
layout     which positions stand on which page, whatever the log holds today
routes     `/ldes`, `/ldes/index/{number}`, `/ldes/pages/{number}`
"""
