"""What is kept of a cell's output can be read anywhere."""

import sys

from matrix.catalog import ROOT
from matrix.probe.forked import without_paths


def test_paths_of_the_environment_and_of_the_checkout_are_named_and_not_told() -> None:
    text = f'File "{sys.prefix}/lib/torch/x.py"\nFile "{ROOT}/matrix/probe/modules.py"'
    assert without_paths(text) == 'File "<environment>/lib/torch/x.py"\nFile "<matrix>/matrix/probe/modules.py"'
