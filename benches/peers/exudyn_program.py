"""One run of one problem with Exudyn. It prints one line of JSON.

`run` starts this file with the Python of the virtual environment, and the request as JSON in the first argument:
problem, parameters, step, steps, start, rho, variant. With the words `variants PROBLEM UNKNOWNS` instead it prints the
variants of a problem.

The time is that of `SolveSteps`, Exudyn's loop over the steps in C++. The set-up (`InitializeSolver`, with the initial
accelerations) is not part of it. Files, sensors and messages are switched off, and one thread is used.

A variant is a choice of formulation and of settings. `run` tries all variants of a problem at its step, and keeps the fastest one
whose error is not more than 1.5 times the smallest error of a variant. The settings that are tried:

- coordinates of rigid bodies in space: rotation vectors on the Lie group, Euler parameters; for chains also
  a kinematic tree with joint angles,
- linear solver: EigenSparse, EigenDense (EXUdense was slower than EigenDense in the chain of 10 bodies),
- Newton: new matrix in every iteration, modified Newton (the matrix of an earlier step is kept),
- Newton's tolerances: those of Exudyn (relative 1e-8, absolute 1e-10), and 1e-6 with 1e-8; for beams
  1e-6 and 1e-8 of the increments.

The fast module of the package (`exudynCPPfast`, no range checks, AVX2) is used if the processor supports it.
"""

import json
import resource
import sys
import time

sys.exudynFast = True

import exudyn as exu  # noqa: E402

import exudyn_beams  # noqa: E402
import exudyn_rigid  # noqa: E402

MODELS = {**exudyn_rigid.MODELS, **exudyn_beams.MODELS}

SOLVERS = {"sparse": exu.LinearSolverType.EigenSparse, "dense": exu.LinearSolverType.EigenDense}

# More unknowns than this are solved with sparse matrices only.
DENSE_LIMIT = 150

# Chains with more unknowns than this (in Cardan) are not built as a kinematic tree.
TREE_LIMIT = 2000


def variants(problem, unknowns):
    """The names of the variants of a problem: coordinates, linear solver, Newton, tolerance."""
    solvers = ["sparse"] if unknowns > DENSE_LIMIT else ["sparse", "dense"]
    model, names = MODELS[problem], []
    for coordinates in model.coordinates:
        # the mass matrix of a tree is full
        if coordinates == "tree" and unknowns > TREE_LIMIT:
            continue
        for solver in solvers:
            for newton in ["modified", "full"]:
                names += [f"{coordinates} {solver} {newton} {tolerance}" for tolerance in model.tolerances]
    return names


def simulation_settings(request, solver, newton, tolerance):
    """Exudyn's settings for one run."""
    settings = exu.SimulationSettings()
    integration = settings.timeIntegration
    integration.startTime = request["start"]
    integration.endTime = request["start"] + request["step"] * request["steps"]
    integration.numberOfSteps = request["steps"]
    integration.verboseMode = 0
    integration.verboseModeFile = 0
    integration.generalizedAlpha.spectralRadius = request["rho"]
    integration.newton.useModifiedNewton = newton == "modified"
    relative, absolute = tolerance.split("/")
    if relative == "increment":
        integration.newton.residualMode = 1
        relative = absolute
    integration.newton.relativeTolerance = float(relative)
    integration.newton.absoluteTolerance = float(absolute)
    settings.linearSolver.solverType = SOLVERS[solver]
    settings.linearSolver.reuseAnalyzedPattern = True
    settings.parallel.numberOfThreads = 1
    settings.solution.file.write = False
    settings.solution.sensors.active = False
    settings.solution.solverInformationFileName = ""
    return settings


def run(request):
    """Computes the motion and returns the measurements."""
    coordinates, solver, newton, tolerance = request["variant"].split()
    begin = time.process_time()
    system = exu.SystemContainer().AddSystem()
    model = MODELS[request["problem"]]
    read = model.build(system, coordinates, **request["parameters"])
    system.Assemble()
    settings = simulation_settings(request, solver, newton, tolerance)
    dynamics = exu.MainSolverImplicitSecondOrder()
    if not dynamics.InitializeSolver(system, settings):
        raise RuntimeError("Exudyn could not initialize the solver")
    ready = time.process_time()
    complete = dynamics.SolveSteps(system, settings)
    done = time.process_time()
    dynamics.FinalizeSolver(system, settings)
    if not complete:
        raise RuntimeError("Exudyn's solver stopped before the end time")
    return {
        "unknowns": dynamics.GetODE2size() + dynamics.GetAEsize(),
        # Exudyn takes shorter steps where Newton does not converge
        "steps": dynamics.it.currentStepIndex - 1,
        "iterations": dynamics.it.newtonStepsCount,
        "factorizations": dynamics.it.newtonJacobiCount,
        "setup_seconds": ready - begin,
        "step_seconds": done - ready,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "values": [float(value) for value in read(system)],
    }


if __name__ == "__main__":
    if sys.argv[1] == "variants":
        print(json.dumps(variants(sys.argv[2], int(sys.argv[3]))))
    else:
        print(json.dumps(run(json.loads(sys.argv[1]))))
