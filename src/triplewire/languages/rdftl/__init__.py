"""RDFTL: event-condition-action rules on RDF."""
