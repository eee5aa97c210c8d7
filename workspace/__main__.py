"""``python -m workspace``: the command line."""

from __future__ import annotations

from workspace.cli import main

if __name__ == "__main__":
    main(prog_name="python -m workspace")
