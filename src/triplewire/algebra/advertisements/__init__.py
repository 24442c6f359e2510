"""What a peer will publish (Chirita et al., definitions 5 to 7), as values and in RDF.

advertisement  schemas, properties, or properties with their values
value_sets     what an advertisement says about a property's values, as terms and intervals
supply         what the advertisements of one client say together
rdf            advertisements in RDF
"""
