"""SciPy's special functions, compiled as they are, without the rest of its package.

`scipy.special` takes 0.2 seconds to load, nearly all of it to write notes on other array libraries into
docstrings; its functions themselves take 0.03. So its compiled module is loaded beside an empty stand-in
for the package, which is gone before anybody else can ask for it (decision 0111).
"""

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

PACKAGE, COMPILED = "scipy.special", "scipy.special._ufuncs"


def _functions() -> ModuleType:
    """The module of the compiled functions; the whole package, where SciPy is built in another way."""
    spec = PathFinder.find_spec(PACKAGE, import_module("scipy").__path__)
    if PACKAGE in sys.modules or spec is None:
        return import_module(PACKAGE)
    sys.modules[PACKAGE] = module_from_spec(spec)
    try:
        found = import_module(COMPILED)
    except ImportError:
        found = None
    finally:
        del sys.modules[PACKAGE]  # whoever imports the package gets it whole
    return import_module(PACKAGE) if found is None else found


_FUNCTIONS = _functions()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_FUNCTIONS, name, None)
    return getattr(import_module(PACKAGE), name) if found is None else found
