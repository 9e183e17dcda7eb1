"""The measurements of one problem: choice of variants, steps for the target error, rounds that alternate the programs."""

import statistics

import programs
from problems import STEP_FACTORS
from programs import NAMES, RunFailed

# A variant may have this many times the smallest error of the variants.
VARIANT_FACTOR = 1.5

# A program whose error is more than this factor above that of Cardan is marked in the tables.
MARK_FACTOR = 3.0

# Two errors below this are equal.
ERROR_FLOOR = 1e-9


def error_of(result, reference):
    """The largest difference of the checked quantities from the reference."""
    values = result["values"]
    if len(values) != len(reference):
        raise RunFailed(f"{len(values)} values, {len(reference)} expected")
    difference = max(abs(value - expected) for value, expected in zip(values, reference))
    if difference != difference:
        raise RunFailed("the result is not a number")
    return difference


def per_step(result):
    """Processor time per step in microseconds."""
    return 1e6 * result["step_seconds"] / result["steps"]


def spread(values):
    """Median, smallest and largest value."""
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


class Program:
    """A program with the variant that is used for one problem."""

    def __init__(self, name, problem, variant=None):
        self.name, self.problem, self.variant = name, problem, variant

    def run(self, factor=1.0, limit=120):
        """One run with a step of `factor` times the step of the problem."""
        if self.name == "cardan":
            return programs.cardan(self.problem, factor, limit)
        return programs.peer(self.name, self.problem, self.variant, factor, limit)


def choose_variant(name, problem, reference, unknowns, cardan_error, log):
    """Tries the variants of a program. Returns the program with the fastest accurate one, and a table of all."""
    tried, fastest = [], None
    for variant in programs.variants(name, problem, unknowns):
        # a variant that takes five times as long as another one is not waited for
        limit = 60 if fastest is None else 8 + 5 * fastest
        try:
            result = Program(name, problem, variant).run(limit=limit)
            row = {"variant": variant, "error": error_of(result, reference), "per_step": per_step(result)}
            seconds = result["step_seconds"]
            fastest = seconds if fastest is None else min(fastest, seconds)
        except RunFailed as failure:
            row = {"variant": variant, "failure": str(failure)[:200]}
        tried.append(row)
    complete = [row for row in tried if "error" in row]
    if not complete:
        log(f"  {NAMES[name]}: no variant completes: {tried[0]['failure'] if tried else 'there is none'}")
        return None, tried
    smallest = min(row["error"] for row in complete)
    allowed = max(VARIANT_FACTOR * smallest, cardan_error, ERROR_FLOOR)
    best = min((row for row in complete if row["error"] <= allowed), key=lambda row: row["per_step"])
    log(f"  {NAMES[name]}: {best['variant']}, {best['per_step']:.3g} µs per step, error {best['error']:.2g}")
    return Program(name, problem, best["variant"]), tried


def step_for_target(program, reference):
    """The largest step factor with which a program reaches the target error, or None."""
    for factor in STEP_FACTORS:
        if program.problem.steps(factor) is None:
            continue
        try:
            result = program.run(factor)
            # twice the step must not be accurate by chance: the next shorter step has to reach the target too
            if error_of(result, reference) <= program.problem.target:
                shorter = factor / 2
                if error_of(program.run(shorter), reference) <= program.problem.target:
                    return factor
        except RunFailed:
            continue
    return None


def measure(problem, peers, rounds, with_run, log):
    """All measurements of one problem, as a dictionary for the report."""
    log(f"{problem.name}: {problem.title}")
    reference = programs.reference(problem)
    cardan = Program("cardan", problem)
    first = cardan.run()
    cardan_error = error_of(first, reference)
    log(f"  Cardan: {first['unknowns']} unknowns, {per_step(first):.3g} µs per step, error {cardan_error:.2g}")
    chosen, tried = {}, {}
    for name in peers:
        if name in problem.programs:
            program, tried[name] = choose_variant(name, problem, reference, first["unknowns"], cardan_error, log)
            if program is not None:
                chosen[name] = program
    factors = {"cardan": step_for_target(cardan, reference)}
    for name, program in chosen.items():
        factors[name] = step_for_target(program, reference)

    samples = {name: {"per_step": [], "target": [], "ratio": [], "target_ratio": []} for name in ["cardan", *chosen]}
    run_samples, last = [], {"cardan": first}
    for _ in range(rounds):
        # Cardan before each other program, so that both have the same conditions
        for name in list(chosen) or [None]:
            last["cardan"] = cardan.run()
            base = per_step(last["cardan"])
            samples["cardan"]["per_step"].append(base)
            if name is not None:
                last[name] = chosen[name].run()
                samples[name]["per_step"].append(per_step(last[name]))
                samples[name]["ratio"].append(per_step(last[name]) / base)
            if factors["cardan"] is None:
                continue
            base = cardan.run(factors["cardan"])["step_seconds"]
            samples["cardan"]["target"].append(1e3 * base)
            if name is not None and factors[name] is not None:
                seconds = chosen[name].run(factors[name])["step_seconds"]
                samples[name]["target"].append(1e3 * seconds)
                samples[name]["target_ratio"].append(seconds / base)
        if with_run:
            try:
                run_samples.append(1e6 * programs.cardan_run(problem))
            except RunFailed as failure:
                log(f"  cardan run: {failure}")
                with_run = False

    table = {}
    for name, values in samples.items():
        result = last[name]
        table[name] = {key: spread(list_) for key, list_ in values.items() if list_}
        error = error_of(result, reference)
        table[name] |= {
            "error": error,
            "marked": error > MARK_FACTOR * max(cardan_error, ERROR_FLOOR),
            "unknowns": result["unknowns"],
            "steps": result["steps"],
            "iterations": result["iterations"],
            "factorizations": result["factorizations"],
            "setup_seconds": result["setup_seconds"],
            "peak_bytes": result["peak_bytes"],
            "values": result["values"],
            "target_step": None if factors[name] is None else factors[name] * problem.step,
        }
        if name != "cardan":
            table[name]["variant"] = chosen[name].variant
    for name, rows in tried.items():
        if name not in chosen:
            table[name] = {"failure": rows[0].get("failure", "no variant completes") if rows else "no variant"}
    return {
        "problem": problem.name,
        "title": problem.title,
        "step": problem.step,
        "end": problem.end,
        "rho": problem.rho,
        "target": problem.target,
        "remark": problem.remark,
        "reference": reference,
        "programs": table,
        "cardan_run": spread(run_samples) if run_samples else None,
        "tried": tried,
    }
