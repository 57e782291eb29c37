"""SciPy's special functions without its package: the same functions, and the package stays whole."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import assay

PACKAGE = Path(assay.__file__).parent


def used() -> set[str]:
    """The functions that the package takes from `assay.kernels.special`."""
    names = {"betainc", "betaincinv"}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module == "assay.kernels.special":
                names |= {alias.name for alias in node.names}
    return names


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_every_function_is_the_one_of_scipy() -> None:
    import scipy.special

    from assay.kernels import special

    for name in used():
        assert getattr(special, name) is getattr(scipy.special, name)


def test_the_package_is_not_run_for_compiled_functions() -> None:
    compiled = sorted(used() - {"logsumexp", "bernoulli"})
    code = f"import sys\nfrom assay.kernels.special import {', '.join(compiled)}\n"
    assert run(f"{code}print('scipy._lib._array_api' in sys.modules)") == "False"


@pytest.mark.parametrize(
    "asked",
    [
        "import scipy.special; print(scipy.special.ndtri is ndtri)",
        "from scipy.special import ndtri as other, logsumexp; print(other is ndtri)",
        "import scipy; print(scipy.special.ndtri is ndtri)",
        "import scipy.special._ufuncs as compiled; print(compiled.ndtri is ndtri)",
        "from scipy import stats; print(abs(stats.norm.ppf(0.3) - ndtri(0.3)) < 1e-15)",
        "from scipy.special import *; print(gammaln(3.0) > 0.69)",
        "import sklearn.metrics, scipy.special; print(scipy.special._ufuncs.ndtri is ndtri)",
    ],
)
def test_others_find_the_whole_package(asked: str) -> None:
    assert run(f"from assay.kernels.special import ndtri\n{asked}") == "True"


def test_a_package_that_was_run_before_is_used() -> None:
    code = "import scipy.special\nfrom assay.kernels.special import ndtri\n"
    assert run(f"{code}print(ndtri is scipy.special.ndtri)") == "True"


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ImportError):
        from assay.kernels.special import no_such_function  # noqa: F401


def test_names_between_underscores_are_the_modules_own() -> None:
    import scipy.special

    from assay.kernels import special

    assert special.ndtr is scipy.special.ndtr
    with pytest.raises(AttributeError, match="__path__"):
        special.__path__  # noqa: B018
