"""A study with Exudyn's `ParameterVariation`. It prints one line of JSON: the seconds, and the results of all cases.

`studies` starts this file with the Python of the virtual environment, and the request as JSON in the first argument: problem,
parameters, variant, step, steps, start, rho, the name of the varied parameter, its bounds, the numbers of cases and of processes.
"""

import json
import sys
import time

sys.exudynFast = True

import exudyn_program  # noqa: E402
from exudyn.processing import ParameterVariation  # noqa: E402

REQUEST = json.loads(sys.argv[1])


def case(values):
    """The results of one case."""
    parameters = {**REQUEST["parameters"], REQUEST["name"]: values[REQUEST["name"]]}
    return exudyn_program.run({**REQUEST, "parameters": parameters})["values"]


if __name__ == "__main__":
    begin = time.perf_counter()
    _, results = ParameterVariation(
        parameterFunction=case,
        parameters={REQUEST["name"]: (REQUEST["from"], REQUEST["to"], REQUEST["cases"])},
        useMultiProcessing=True,
        numberOfThreads=REQUEST["processes"],
        showProgress=False,
    )
    seconds = time.perf_counter() - begin
    print(json.dumps({"seconds": seconds, "values": [list(map(float, row)) for row in results]}))
