"""What a peer will publish (Chirita et al., definitions 5 to 7), as values and in RDF.

advertisement  what a peer will publish (Chirita et al., definitions 5 to 7)
rdf            advertisements in RDF
supply         what a peer has said that it will publish, on all three levels at once
value_sets     what an advertisement says about a property's values, as terms and intervals
"""
