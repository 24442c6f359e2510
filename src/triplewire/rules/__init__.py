"""RDFTL rules over a repository with a schema (Papamarkos et al., section 2): analysis, and execution as pure steps.

ambient      the vocabulary that belongs to every schema and needs no declaration
analysis     what can be said of rules without running them (Papamarkos et al., sections 2.4, 2.5 and 3)
changes      what is asked of a repository, and what has really changed in it
closure      the closure over a schema's two hierarchies: what one triple makes true, and what makes a triple true
commuting    may a transaction that has read from one that is undone stay (section 2.3)?
conformance  after each change, what it touched has to be as the schema wants it
containers   where a list ends, so that `seq++` can append to it
drawing      the triggering graph as a picture: SVG with a layout of our own, or DOT for Graphviz
execution    rule execution (sections 2.2 and 2.3): a schedule of updates, the rules that they trigger, and what
             is undone
graphs       the little that rules need from a repository, and two ways to look at one
literals     the form in which Oxigraph keeps them, and whether they are of a datatype
naming       a bare name becomes the one class or property of the schema that has it; a whole one has to be known
paths        paths and conditions, evaluated by looking up triples
repository   what was asserted, and the closure over the schema, kept up with each change
schema       what the resources of a repository may be, and which arcs may lead where
"""
