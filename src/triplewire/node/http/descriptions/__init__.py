"""What the node says of its own interfaces.

api_docs             `/docs`: the OpenAPI document as a page, from files of the node's own
service_description  what `/sparql` is, in RDF (SPARQL 1.1 Service Description)
"""
