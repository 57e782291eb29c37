"""SciPy's special functions, compiled as they are, without the rest of its package.

`scipy.special` takes 0.2 seconds to load, nearly all of it to write notes on other array libraries into
docstrings; its functions themselves take 0.03. So its package is put in place unrun: the functions are
there, and whoever asks it for anything else has it run in that moment (decision 0111).
"""

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.util import module_from_spec
from types import ModuleType
from typing import Any

PACKAGE, COMPILED = "scipy.special", "scipy.special._ufuncs"


class _Unrun(ModuleType):
    """A package that runs when it is first asked for a name that it does not have yet."""

    def __getattr__(self, name: str) -> Any:
        spec = self.__spec__
        if spec is None or spec.loader is None or name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        self.__class__ = ModuleType  # type: ignore[assignment]  # from now on as any other
        spec.loader.exec_module(self)
        return getattr(self, name)


def _functions() -> ModuleType:
    """The module of the compiled functions; the whole package, where SciPy is built in another way."""
    if PACKAGE in sys.modules:
        return sys.modules[PACKAGE]
    spec = PathFinder.find_spec(PACKAGE, import_module("scipy").__path__)
    if spec is not None:
        package = module_from_spec(spec)
        package.__class__ = _Unrun
        sys.modules[PACKAGE] = package
        try:
            return import_module(COMPILED)
        except ImportError:
            del sys.modules[PACKAGE]
    return import_module(PACKAGE)


_FUNCTIONS = _functions()


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(_FUNCTIONS, name, None)
    return getattr(import_module(PACKAGE), name) if found is None else found
