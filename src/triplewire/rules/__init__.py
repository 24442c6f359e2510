"""RDFTL rules over a repository with a schema (Papamarkos et al., section 2): analysis, and execution as pure steps.

ambient      the vocabulary that every schema has
schema       classes, properties, domains, ranges, containers
naming       bare names become IRIs of a schema
graphs       the little that is needed of a repository; a graph as it was
paths        paths and conditions over a graph
repository   what was asserted, with its closure, conforming
execution/   a schedule of updates, and the rules that they trigger
hosting      a repository and its rules on a node: what they do survives, and telling: in which words
listening    rules that published events may trigger as well
analysis/    what can be said of rules before they run
"""
