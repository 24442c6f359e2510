"""What answers SPARQL: datasets in processes of their own, which can be killed.

following   a store in a process of its own that follows what is kept, and answers SPARQL queries over it
process     such a process, seen from the node: started when it is needed, asked one thing at a time, killed at need
replica     the living graph, as its journal of changes tells it
repository  everything that is kept of events, as one dataset
worker      an Oxigraph store, and one message at a time
"""
