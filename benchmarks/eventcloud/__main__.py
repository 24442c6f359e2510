"""Measure, print ratios and what was asked beside what was found, write numbers and a plot."""

from __future__ import annotations

import argparse
import os
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import partial

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from rich.console import Console

from benchmarks import machine
from benchmarks.eventcloud import drawing
from benchmarks.eventcloud.costs import CostModel, Fit
from benchmarks.eventcloud.experiments import FSYNCS, Spread, cases, key_of, model_of_steps, simulated, with_fsync
from benchmarks.eventcloud.outcomes import Outcome
from benchmarks.eventcloud.page import PAGE, markdown, with_figures
from benchmarks.eventcloud.plans import FULL, QUICK, SHORT, Plan
from benchmarks.eventcloud.real import measured_real, without_sizes
from benchmarks.eventcloud.tables import TITLES, asked, experiment_table, model_table, plain_table, spread_table
from benchmarks.machine import Machine
from benchmarks.reports import FIGURES, QUICK_RESULTS, RESULTS, figures_table, progress, wide_console, write_json


class Findings(Struct):
    """All that was measured."""

    plan: Plan
    model: CostModel | None = None
    steps: Fit | None = None
    commits: Fit | None = None
    simulated: list[Outcome] = []
    real: list[Outcome] = []
    spread: list[Spread] = []

    @property
    def fit(self) -> tuple[CostModel, Fit, Fit] | None:
        """The model and how well it fits, if there is one."""
        return (self.model, self.steps, self.commits) if self.model and self.steps and self.commits else None


class Report(Struct):
    """What is written to disk."""

    machine: Machine
    findings: Findings


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.eventcloud", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run, whose figures decide little")
    parser.add_argument("--short", action="store_true", help="all experiments, most of them with fewer events")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="simulations at a time [all cores]")
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--simulated", action="store_true", help="the simulated part only; the other stays as it was")
    part.add_argument("--model", action="store_true", help="only fit the model to steps, which wants a quiet machine")
    part.add_argument("--cases", action="store_true", help="the simulated part by the model of before")
    part.add_argument("--spread", action="store_true", help="only (a) again with other disks, by the model of before")
    part.add_argument("--real", action="store_true", help="real processes only; the other part stays as it was")
    parser.add_argument("--nodes", type=int, nargs="+", help="real processes of these sizes only [all]")
    chosen = parser.parse_args()
    results = QUICK_RESULTS if chosen.quick else RESULTS
    path, console = results / "eventcloud.json", wide_console()
    plan = QUICK if chosen.quick else SHORT if chosen.short else FULL
    findings = Findings(plan)
    is_part = chosen.simulated or chosen.real or chosen.spread or chosen.model or chosen.cases
    if path.exists() and is_part:
        findings = msgspec.json.decode(path.read_bytes(), type=Report).findings
        findings.plan = plan
    facts = machine.facts()
    if not is_part or chosen.simulated or chosen.model:
        fit(findings, console)
    if not is_part or chosen.simulated or chosen.cases:
        simulate(findings, console, chosen.jobs)
    if not (chosen.real or chosen.model):
        vary_disks(findings, chosen.jobs)
    if not is_part or chosen.real:
        real, sizes = findings.plan.real, chosen.nodes or findings.plan.real.nodes
        findings.real = [*without_sizes(findings.real, real, sizes), *measured_real(real, sizes, console.print)]
    show(findings, console)
    write_json(path, Report(facts, findings))
    if not chosen.quick:
        PAGE.write_text(
            with_figures(PAGE.read_text(), markdown(findings.simulated, findings.real, findings.spread, findings.fit))
        )
    drawing.draw((results if chosen.quick else FIGURES) / "eventcloud.png", findings.simulated, findings.real)


def fit(findings: Findings, console: Console) -> None:
    """Fit the model to the steps of small spaces."""
    with progress(console) as bars:
        whole = bars.add_task("measuring steps", total=None)
        findings.model, findings.steps, findings.commits = model_of_steps(
            findings.plan.measured_events, lambda words: bars.update(whole, description=words)
        )


def simulate(findings: Findings, console: Console, jobs: int) -> None:
    """Run every case by the model, some of them at a time: their time is simulated."""
    if findings.model is None:
        raise SystemExit("there is no model yet: --model fits one")
    with progress(console) as bars, ProcessPoolExecutor(jobs) as pool:
        planned = list(cases(findings.plan))
        distinct = {key_of(case): case for case in planned}
        whole = bars.add_task("simulating", total=len(distinct))
        running = {key: pool.submit(simulated, case, findings.model) for key, case in distinct.items()}
        for _ in as_completed(running.values()):
            bars.advance(whole)
        found = {key: each.result() for key, each in running.items()}
        findings.simulated = [replace(found[key_of(case)], experiment=case.experiment) for case in planned]


def vary_disks(findings: Findings, jobs: int) -> None:
    """(a) with other disks than this machine's."""
    if findings.model is not None:
        vary = partial(with_fsync, findings.plan, findings.model)
        with ProcessPoolExecutor(jobs) as pool:
            findings.spread = list(pool.map(vary, FSYNCS))


def show(findings: Findings, console: Console) -> None:
    if findings.fit is not None:
        console.print(model_table(*findings.fit))
    for outcomes, where in ((findings.simulated, "simulated"), (findings.real, "real processes")):
        for experiment in TITLES:
            if any(one.experiment == experiment for one in outcomes):
                console.print(experiment_table(outcomes, experiment, where))
    if findings.spread:
        console.print(spread_table(findings.spread))
    if findings.real:
        console.print(plain_table(findings.real))
    console.print(figures_table(asked(findings.simulated, findings.real)))


if __name__ == "__main__":
    main()
