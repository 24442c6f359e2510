"""RDFTL rules over a repository with a schema (Papamarkos et al., section 2): analysis, and execution as pure steps.

ambient      the vocabulary that every schema has
schema       classes, properties, domains, ranges, containers
naming       bare names become IRIs of a schema
"""
