"""``python -m matrix``: look at the plan and the results without running anything."""

from __future__ import annotations

import sys

from matrix.cli import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
