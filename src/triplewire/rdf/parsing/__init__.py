"""From documents to quads and events: checked, named and grouped.

quads            pyoxigraph's parsers, with our limits before them and our errors after them
positions        where in a document something is wrong, also where the parser does not say
nesting_depth    how deep brackets nest, measured before any parser sees the text (row A3)
rdf_xml          RDF/XML before the parser sees it: well-formed, not too deep, without a DOCTYPE (row A4)
entities         entities that an RDF/XML document defines for itself, written out (row A4)
contexts         JSON-LD contexts: those in the document, and those of a local map (row A10)
blank_nodes      blank nodes keep to their event, and give way to an IRI where they name a graph
event_grouping   quads gathered by graph and counted against the limits as they come
event_names      names for events that come without one
reading_options  limits, base and contexts for many documents
subject_events   an event for each subject of a large graph
"""
