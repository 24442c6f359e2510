"""From documents to quads and events: checked, named and grouped.

blank_labels      blank nodes keep to their event: labels made anew, in order of first appearance
contexts          those that stand in the document, and those that a local map has (row A10)
entities          entities that an RDF/XML document defines for itself, written out, and its DOCTYPE removed (row
                  A4)
event_grouping    a document's quads, gathered by graph and counted against the limits as they come
event_names       names for events that come without one: made from source, time and content
failure_position  how far the parser had come: it reads the document again, by pieces and then byte by byte
folders           which files in them count
nesting_depth     how deep brackets nest, told by one linear scan before any parser sees the text (row A3)
positions         where in a document something is wrong, also where the parser does not say
quads             pyoxigraph's parsers, with our limits before them and our errors after them
rdf_xml           RDF/XML before the RDF parser sees it: well-formed, not too deep, and without a DOCTYPE (row A4)
reading_options   how documents of others are read: within which limits, from which base, with which contexts
skolem            graphs named by blank nodes get an IRI, for only an IRI can be an event's identity (RDF 1.1,
                  section 3.5)
subject_events    an event for each subject of a large graph: a vocabulary or a dump is far more than one event
                  should be
"""
