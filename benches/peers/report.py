"""The report: tables in Markdown for RESULTS.md, a short table for the README, lines for the screen."""

import platform
from pathlib import Path

from measure import MARK_FACTOR, VARIANT_FACTOR
from problems import REFERENCE_METHOD
from programs import NAMES

BEGIN, END = "<!-- peers:begin -->", "<!-- peers:end -->"


def number(value, digits=3):
    """A number with a few digits."""
    if value is None:
        return "–"
    if value != 0 and (abs(value) >= 10**5 or abs(value) < 1e-2):
        return f"{value:.{digits - 1}e}".replace("e-0", "e-").replace("e+0", "e")
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.{digits}g}"


def error(row):
    """An error; bold if it is marked."""
    text = f"{row['error']:.1e}".replace("e-0", "e-").replace("e+0", "e")
    return f"**{text}**" if row.get("marked") else text


def ratio(value):
    """Median and range of a ratio."""
    if value is None:
        return "–"
    return f"**{number(value['median'], 2)}** ({number(value['min'], 2)}–{number(value['max'], 2)})"


def table(header, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join("---" for _ in header) + " |"]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def processor():
    """The model of the processor."""
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"


def per_step_table(results, peers):
    """Processor time per step."""
    header = ["problem", "unknowns", "step (s)", "Cardan (µs)", "`cardan run` (µs)", "error"]
    for name in peers:
        header += [f"{NAMES[name]} (µs)", f"{NAMES[name]} / Cardan", "error"]
    rows = []
    for result in results:
        base = result["programs"]["cardan"]
        run = result["cardan_run"]
        row = [result["title"], str(base["unknowns"]), number(result["step"], 2), number(base["per_step"]["median"])]
        row += [number(run["median"]) if run else "–", error(base)]
        for name in peers:
            peer = result["programs"].get(name)
            if peer is None:
                row += ["", "", ""]
            elif "failure" in peer:
                row += ["fails", "–", "–"]
            else:
                row += [number(peer["per_step"]["median"]), ratio(peer["ratio"]), error(peer)]
        rows.append(row)
    return table(header, rows)


def target_table(results, peers):
    """Processor time of the whole run to a target error."""
    header = ["problem", "target error", "Cardan: step (s)", "time (ms)"]
    for name in peers:
        header += [f"{NAMES[name]}: step (s)", "time (ms)", f"{NAMES[name]} / Cardan"]
    rows = []
    for result in results:
        row = [result["title"], number(result["target"], 1)]
        for name in ["cardan", *peers]:
            peer = result["programs"].get(name)
            blank = name != "cardan"
            if peer is None:
                row += ["", "", ""]
            elif peer.get("target_step") is None or "target" not in peer:
                row += ["not reached", "–"] + ["–"] * blank
            else:
                row += [number(peer["target_step"], 2), number(peer["target"]["median"])]
                row += [ratio(peer.get("target_ratio"))] * blank
        rows.append(row)
    return table(header, rows)


def settings_table(results, peers):
    """Settings that were chosen, and work per step."""
    header = ["problem", "program", "settings", "unknowns", "steps", "iterations per step", "factorizations per step"]
    header += ["set-up (ms)", "memory (MB)"]
    rows = []
    for result in results:
        for name in ["cardan", *peers]:
            row = result["programs"].get(name)
            if row is None or "failure" in row:
                continue
            counts = [row["iterations"], row["factorizations"]]
            rows.append(
                [
                    result["problem"],
                    NAMES.get(name, "Cardan"),
                    row.get("variant", f"ρ∞ = {result['rho']}"),
                    "–" if row["unknowns"] is None else str(row["unknowns"]),
                    str(row["steps"]),
                    *["–" if count is None else f"{count / row['steps']:.2f}" for count in counts],
                    number(1e3 * row["setup_seconds"]),
                    f"{(row['peak_bytes'] or 0) / 1e6:.0f}",
                ]
            )
    return table(header, rows)


def conditions(versions, rounds):
    """Machine and versions in one line."""
    names = ", ".join(f"{name} {version}" for name, version in versions.items())
    return f"{processor()}, {platform.system()}, one thread; {names}; {rounds} round{'s' if rounds > 1 else ''}."


def markdown(results, peers, versions, rounds):
    """The text of RESULTS.md."""
    remarks = [f"- {r['title']}: {r['remark']}" for r in results if r["remark"]]
    failures = [
        f"- {r['title']}, {NAMES[name]}: {row['failure']}"
        for r in results
        for name, row in r["programs"].items()
        if "failure" in row
    ]
    parts = [
        "# Cardan and other programs",
        "Written by `benches/peers/run`. " + conditions(versions, rounds),
        "Times are processor times of the steps alone: no set-up, no files. `cardan run` is the whole program, with energy balance and "
        "result files; its time per step is the difference of two runs. A ratio above 1 means that Cardan takes less time. Ratios are those of "
        "runs one after the other: median (smallest–largest).",
        "Errors are largest differences at the end time from the reference, in m or rad: a value of the literature, an exact solution, or Cardan with "
        f"`{REFERENCE_METHOD}`, a quarter of the step and, for beams, a finer mesh. A **bold** error is more than {MARK_FACTOR:g} times that of Cardan.",
        "All programs integrate with generalized-α and the same ρ∞, except MuJoCo, which has its own integrators. Exudyn and MuJoCo run with "
        f"the fastest settings whose error is at most {VARIANT_FACTOR:g} times the smallest that was found, or not above that of Cardan; Cardan runs with its "
        "defaults, which solve the constraints to round-off. Settings of Exudyn: coordinates, linear solver, Newton, relative/absolute tolerance.",
        "## Processor time per step",
        per_step_table(results, peers),
        "## Processor time to a target error",
        "The largest step of 8, 4, 2, 1, 1/2, 1/4 times the step above with which the error, and that with half of the step, is below the target.",
        target_table(results, peers),
        "## Remarks",
        "\n".join(remarks + failures) or "None.",
        "## Settings and work",
        settings_table(results, peers),
    ]
    return "\n\n".join(parts) + "\n"


def readme_table(results, peers, versions, rounds):
    """The short table of the README."""
    header = ["problem", "Cardan, µs per step", *[f"{NAMES[name]} / Cardan" for name in peers]]
    rows = []
    for result in results:
        row = [result["title"], number(result["programs"]["cardan"]["per_step"]["median"])]
        for name in peers:
            peer = result["programs"].get(name, {})
            text = ratio(peer["ratio"]) if "ratio" in peer else ("fails" if "failure" in peer else "")
            row.append(text + (" (less accurate)" if peer.get("marked") else ""))
        rows.append(row)
    return conditions(versions, rounds) + "\n\n" + table(header, rows)


def replace_in_readme(path, text):
    """Replaces the text between the two marks of a README."""
    content = path.read_text()
    if content.count(BEGIN) != 1 or content.count(END) != 1 or content.index(BEGIN) > content.index(END):
        raise SystemExit(f"{path.name} needs one line `{BEGIN}` and after it one line `{END}`")
    head, rest = content.split(BEGIN)
    _, tail = rest.split(END)
    path.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}")
