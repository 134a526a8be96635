"""Runs jobs in one ONNX Runtime, as a program of its own: ``python ort_worker.py LIBRARY JOBS RESULTS [ELEMENT]``.

JOBS is a pickle of [(model bytes, {name: array})]; RESULTS becomes a pickle of one entry per job: the list of
the outputs of three runs with one thread each, or the message of the error.  Python >= 3.8 and numpy only.
"""

import ctypes
import pickle
import sys
from pathlib import Path


def run(model, feeds, library):
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.intra_op_num_threads = 2
    options.log_severity_level = 4
    if library:
        options.register_custom_ops_library(library)
    session = ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return [session.run(None, feeds)[0] for _ in range(3)]


def main(library, jobs, results, element="1"):
    todo = pickle.loads(Path(jobs).read_bytes())
    ctypes.CDLL(library).onnxgrid_ort_choose(int(element))
    done = []
    for number, (model, feeds) in enumerate(todo):
        sys.stderr.write(f"job {number}\n")
        sys.stderr.flush()
        try:
            done.append(run(model, feeds, library))
        except Exception as error:  # noqa: BLE001 - every failure is a result
            cause = error.__context__ or error  # 1.7 hides the first error behind its own
            done.append(f"{type(cause).__name__}: {cause}")
    Path(results).write_bytes(pickle.dumps(done, protocol=4))


if __name__ == "__main__":
    main(*sys.argv[1:])
