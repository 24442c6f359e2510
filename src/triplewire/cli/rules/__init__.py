"""`triplewire rules …`: check, run and explain RDFTL rules, and register them at a node.

check             `triplewire rules check`: are these rules sound, and in what order may they run?
findings          what the analysis of rules has found out, in words and as JSON
graphs            the repository of rules, from a file and to one
group             `triplewire rules …`: what RDFTL rules mean, and what they do
inputs            files of rules, updates and schemas, and the options that name them
kept_trace        `triplewire rules trace`: what rules did in a transaction of a node, or of its network, as a tree
registered        `triplewire rules put`, `get`, `list` and `delete`: the rules of a node
run               `triplewire rules run` and `dry-run`: execute updates, and see which rules fire and why
trace             what came of a schedule, in words and as JSON: each transaction, each firing, and because of what
transaction_tree  a schedule as a tree: each transaction with the firings that it led to, in words, in DOT and as SVG
tree_drawing      trees of transactions as pictures, in DOT and as SVG
"""
