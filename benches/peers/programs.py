"""How each program is started: Cardan's library, `cardan run`, Exudyn, MuJoCo. Every run is a process of its own."""

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FOLDER = ROOT / "target" / "peers"
PYTHON = FOLDER / "venv" / "bin" / "python"

# The packages of the virtual environment. Each is installed by itself: if one fails, the others are used.
PACKAGES = {"numpy": "2.4.6", "exudyn": "1.13.6", "mujoco": "4.0.0"}
NAMES = {"exudyn": "Exudyn", "mujoco": "MuJoCo", "mbdyn": "MBDyn"}

# The binary of MBDyn, if one is given.
MBDYN = {"binary": None}

# One thread for every program, also in libraries of linear algebra.
ENVIRONMENT = {
    **os.environ,
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "PYTHONDONTWRITEBYTECODE": "1",
}


class RunFailed(Exception):
    """A program did not complete a run. The text has the last line of its messages."""


def call(command, limit):
    """Runs a command and returns its last line of output. It is stopped after `limit` seconds."""
    try:
        result = subprocess.run(
            [str(word) for word in command],
            cwd=FOLDER,
            env=ENVIRONMENT,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise RunFailed(f"no result within {limit:.0f} s") from None
    if result.returncode != 0:
        lines = (result.stderr or result.stdout).strip().splitlines()
        message = lines[-1] if lines else f"exit code {result.returncode}"
        # reports have no paths of the machine
        raise RunFailed(message.replace(f"{ROOT}/", ""))
    return result.stdout.strip().splitlines()[-1]


def install(packages):
    """Makes the virtual environment and installs the packages. Returns those that can be imported."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if not PYTHON.exists():
        print("making a virtual environment in target/peers", flush=True)
        subprocess.run([sys.executable, "-m", "venv", PYTHON.parent.parent], check=True)
    for name in packages:
        version = PACKAGES[name]
        if installed(name) == version:
            continue
        print(f"installing {name} {version}", flush=True)
        command = [PYTHON, "-m", "pip", "install", "--quiet", f"{name}=={version}"]
        result = subprocess.run(command, check=False, capture_output=True, text=True)
        if result.returncode != 0:
            lines = result.stderr.strip().splitlines() or ["no message"]
            print(f"{name} {version} cannot be installed: {lines[-1]}")


def installed(name):
    """The version of an installed package, or None."""
    if not PYTHON.exists():
        return None
    code = f"import importlib.metadata as m; print(m.version('{name}'))"
    result = subprocess.run([PYTHON, "-c", code], check=False, capture_output=True, text=True)
    return result.stdout.strip() if result.returncode == 0 else None


def build():
    """Builds the program `cardan` and the program `peer` in release form."""
    subprocess.run(["cargo", "build", "--release"], cwd=ROOT, check=True)
    command = ["cargo", "build", "--release", "--package", "cardan-benches", "--bin", "peer"]
    subprocess.run(command, cwd=ROOT, check=True)


def release(program):
    """The path of a program that was built."""
    folder = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return ROOT / folder / "release" / program


def set_options(parameters):
    """Parameters of a model file as options."""
    return [word for name, value in parameters.items() for word in ("--set", f"{name}={value}")]


def cardan(problem, factor=1.0, limit=120):
    """One run with Cardan's library."""
    step = problem.end / problem.steps(factor)
    command = [release("peer"), ROOT / problem.model, "--step", repr(step), "--end", repr(problem.end)]
    command += ["--rho", problem.rho, *set_options(problem.set)]
    if problem.beams:
        command += ["--beams", problem.beams]
    for channel in problem.read:
        command += ["--read", channel]
    return json.loads(call(command, limit))


def reference(problem):
    """The reference values of a problem."""
    if problem.reference is not None:
        return problem.reference
    from problems import REFERENCE_METHOD

    step = problem.end / (problem.steps() * problem.reference_divisor)
    command = [release("peer"), ROOT / problem.model, "--step", repr(step), "--end", repr(problem.end)]
    command += ["--method", REFERENCE_METHOD, "--tolerance", "1e-12"]
    command += set_options(problem.reference_set or problem.set)
    if problem.reference_beams or problem.beams:
        command += ["--beams", problem.reference_beams or problem.beams]
    for channel in problem.read:
        command += ["--read", channel]
    return json.loads(call(command, 600))["values"]


def cardan_run(problem):
    """Processor time per step of `cardan run`, from the difference of two runs with different end times."""
    steps = problem.steps()
    short = max(1, steps // 4)
    seconds = []
    for count in [short, steps]:
        folder = FOLDER / "run"
        shutil.rmtree(folder, ignore_errors=True)
        command = [release("cardan"), "run", ROOT / problem.model, "--quiet", "--out", folder]
        command += ["--method", "generalized-alpha", "--rho", problem.rho, "--step", repr(problem.end / steps)]
        command += ["--end", repr(problem.end * count / steps), *set_options(problem.set)]
        if problem.beams:
            command += ["--beams", problem.beams]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        result = subprocess.run(
            [str(word) for word in command], env=ENVIRONMENT, cwd=FOLDER, capture_output=True, text=True, check=False
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if result.returncode != 0:
            raise RunFailed((result.stderr.strip().splitlines() or ["no message"])[-1])
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    shutil.rmtree(folder, ignore_errors=True)
    return (seconds[1] - seconds[0]) / (steps - short)


def peer(program, problem, variant, factor=1.0, limit=120):
    """One run with another program."""
    steps = problem.steps(factor)
    request = {
        "problem": problem.peer,
        "parameters": problem.parameters,
        "step": problem.end / steps,
        "steps": steps,
        "start": 0,
        "rho": problem.rho,
        "variant": variant,
    }
    python = PYTHON
    if program == "mbdyn":
        request |= {"binary": str(MBDYN["binary"]), "folder": str(FOLDER / "mbdyn")}
        python = sys.executable
    return json.loads(call([python, HERE / f"{program}_program.py", json.dumps(request)], limit))


def variants(program, problem, unknowns):
    """The variants of a program that are tried for a problem."""
    if program == "mujoco":
        return ["rk4", "euler", "implicitfast"]
    if program == "mbdyn":
        return ["naive, colamd", "umfpack"]
    command = [PYTHON, HERE / "exudyn_program.py", "variants", problem.peer, unknowns]
    return json.loads(call(command, 60))


def versions(names):
    """The versions of the programs in use."""
    result = subprocess.run([release("cardan"), "--version"], capture_output=True, text=True, check=False)
    found = {"Cardan": result.stdout.strip().removeprefix("cardan").strip()}
    for name in names:
        found[NAMES[name]] = "(a given binary)" if name == "mbdyn" else installed(name)
    return found
