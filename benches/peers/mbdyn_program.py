"""One run of one problem with MBDyn. It prints one line of JSON.

`run --mbdyn PATH` starts this file, with the request as JSON in the first argument: problem, parameters, step, steps,
variant, binary, folder. NOT TESTED: no binary of MBDyn was available when this file was written. It has one problem, the chain.

MBDyn's `ms` method with the same asymptotic spectral radius is used; MBDyn has no generalized-α method. The time per step is the difference of the processor
times of two runs with different end times. It contains the output of two nodes in every step.
"""

import json
import resource
import subprocess
import sys
from pathlib import Path


def chain(n):
    """Nodes and elements of a chain of n rods on revolute hinges; the checked positions are those of nodes 1 and n."""
    nodes = ["structural: 0, static, null, eye, null, null, output, no;"]
    elements = ["joint: 0, clamp, 0, node, node;", "gravity: uniform, 0., 0., -1., const, 9.81;"]
    for i in range(1, n + 1):
        output = "yes" if i in (1, n) else "no"
        nodes.append(f"structural: {i}, dynamic, {i - 0.5}, 0., 0., eye, null, null, output, {output};")
        elements.append(f"body: {i}, {i}, 1., null, diag, {0.02 / 12}, {1.01 / 12}, {1.01 / 12};")
        axis = "0., 1., 0." if i % 2 == 1 else "0., 0.6, 0.8"
        before = 0.0 if i == 1 else 0.5
        turned = f"orientation, 3, {axis}, 1, 1., 0., 0."
        elements.append(
            f"joint: {i}, revolute hinge, {i - 1}, position, {before}, 0., 0., {turned}, "
            f"{i}, position, -0.5, 0., 0., {turned};"
        )
    counts = [f"structural nodes: {n + 1};", f"rigid bodies: {n};", f"joints: {n + 1};", "gravity;"]
    return counts, nodes, elements, [1, n]


MODELS = {"chain": chain}


def input_text(request, steps):
    """The input file for a number of steps, and the nodes whose positions are checked."""
    counts, nodes, elements, checked = MODELS[request["problem"]](**request["parameters"])
    integration = [
        "initial time: 0.;",
        f"final time: {steps * request['step']!r};",
        f"time step: {request['step']!r};",
        f"method: ms, {request['rho']};",
        "tolerance: 1.e-6;",
        "max iterations: 20;",
        f"linear solver: {request['variant']};",
    ]
    control = [*counts, "default output: none, structural nodes;"]
    lines = ["begin: data;", "problem: initial value;", "end: data;"]
    for name, block in [
        ("initial value", integration),
        ("control data", control),
        ("nodes", nodes),
        ("elements", elements),
    ]:
        lines += [f"begin: {name};", *block, f"end: {name};"]
    return "\n".join(lines) + "\n", checked


def seconds_of(request, steps, folder):
    """Processor time of MBDyn for a number of steps, and the checked positions at the end."""
    text, checked = input_text(request, steps)
    (folder / "model.mbd").write_text(text)
    (folder / "result.mov").unlink(missing_ok=True)
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [request["binary"], "-s", "-f", "model.mbd", "-o", "result"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    last = {}
    for line in (folder / "result.mov").read_text().splitlines():
        words = line.split()
        last[int(words[0])] = [float(word) for word in words[1:4]]
    values = [value for node in checked for value in last[node]]
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, values


def run(request):
    """Computes the motion and returns the measurements."""
    folder = Path(request["folder"])
    folder.mkdir(parents=True, exist_ok=True)
    steps = request["steps"]
    short, _ = seconds_of(request, max(1, steps // 4), folder)
    full, values = seconds_of(request, steps, folder)
    per_step = (full - short) / (steps - max(1, steps // 4))
    return {
        "unknowns": None,
        "steps": steps,
        "iterations": None,
        "factorizations": None,
        "setup_seconds": max(0.0, full - per_step * steps),
        "step_seconds": per_step * steps,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
        "values": values,
    }


if __name__ == "__main__":
    print(json.dumps(run(json.loads(sys.argv[1]))))
