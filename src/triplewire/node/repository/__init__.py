"""Everything that is kept, as one dataset that answers SPARQL in a process of its own.

process     the repository's process, seen from the node: started when it is needed, asked one thing at a time,
            killed at need
repository  everything that is kept, as one dataset that answers SPARQL
worker      an Oxigraph store, and one message at a time
"""
