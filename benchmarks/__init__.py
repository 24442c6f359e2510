"""Benchmarks: how fast the matcher is, beside the algorithms of the papers and what a user might pick instead.

    machine      one pinned core, and what the numbers were taken on
    isolated     each measurement in a process of its own, stopped when its time is up
    engine       what is measured: the one interface, and Triplewire behind it
    rivals       the others
    cases        which workload, how large
    throughput   events a second
    vitals       single events, memory, snapshots, start-up
    asked        the figures that were asked for, and whether they are met
    paper_cases  the experiments of the G-ToPSS paper
    reports, plots    tables, JSON, PNG

`python -m benchmarks.matching` and `python -m benchmarks.gtopss` run these; `eventcloud`, `network`, `node`,
`pipeline`, `rules`, `space_limits` and `strategies` are programs of their own.
"""
