"""Accelerator profiles in Python: `show` in a notebook, `sql` over the tables of a profile, `report` for the answers of the program.

The program `axonscope` is installed with this package. docs/python.md has examples.
"""

from ._program import AxonscopeError, report
from ._show import show
from ._sql import sql

__all__ = ["AxonscopeError", "report", "show", "sql"]
