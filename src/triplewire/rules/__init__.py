"""RDFTL rules over a repository with a schema (Papamarkos et al., section 2): analysis, and execution as pure steps.

analysis         what can be said of rules without running them (Papamarkos et al., sections 2.4, 2.5 and 3)
changes          what is asked of a repository, and what has really changed in it
closure          the closure over a schema's hierarchies: what one triple makes true, and what makes a triple true
commutativity    lets execution ask the analysis whether two pieces of work commute
conformance      whether what a change touched is as the schema wants it
containers       where a list ends, so that `seq++` can append to it
drawing          the triggering graph as a picture: SVG with a layout of our own, or DOT for Graphviz
event_triggers   the rules that published events trigger as well
event_updates    an event as an update: one transaction, under the event's name, that inserts its triples
execution        a schedule of updates, the rules that they trigger, and what is compensated (sections 2.2 and 2.3)
graphs           the little that rules need from a repository, and two ways to look at one
literals         the form in which Oxigraph keeps literals, and whether they are of a datatype
name_resolution  a bare name becomes the one class or property of the schema that has it; a whole one has to be known
paths            paths and conditions, evaluated by looking up triples
precedence       the partial order of rules (section 2.2)
repository       what was asserted, and the closure over the schema, kept up with each change
schema           what the resources of a repository may be, and which arcs may lead where
vocabulary       the terms that belong to every schema and need no declaration

Nothing here holds a lock, a future or a database: on a node, `triplewire.node.rules` does.
"""
