"""From documents to quads and events: checked, named and grouped.

blank_nodes      blank nodes keep to their event, and give way to an IRI where they name a graph
contexts         those that stand in the document, and those that a local map has (row A10)
entities         entities that an RDF/XML document defines for itself, written out, and its DOCTYPE removed (row
                 A4)
event_grouping   a document's quads, gathered by graph and counted against the limits as they come
event_names      names for events that come without one: made from source, time and content
nesting_depth    how deep brackets nest, told by one linear scan before any parser sees the text (row A3)
positions        where in a document something is wrong, also where the parser does not say
quads            pyoxigraph's parsers, with our limits before them and our errors after them
rdf_xml          RDF/XML before the RDF parser sees it: well-formed, not too deep, and without a DOCTYPE (row A4)
reading_options  how documents of others are read: within which limits, from which base, with which contexts
subject_events   an event for each subject of a large graph: a vocabulary or a dump is far more than one event
                 should be
"""
