"""Strange tables: the ordinary files of tests/door, changed where they hold values and in their bytes.

    python -m tools.fuzz.tables --mutants 5000 --seed 1

`assay look`, `evaluate`, `compare` and `gate` answer, ask or refuse, within seconds and within memory, and what was
answered is the same again when the rows come in another order. Anything else is a finding; `--only 17` tries one again.
"""

import argparse
import random
import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.door.case import Case
from tests.door.files import CASES
from tools.fuzz.logs import BY_SUFFIX, MEMORY, changed_bytes, changed_text, printable
from tools.fuzz.store_doors import knock

TOLD: dict[str, tuple[Any, ...]] = {
    "truth": ("truth", "y", "label"),
    "id": ("id", "item"),
    "correct": (True,),
    "losses": (True,),
    "lower_is_better": (True, False),
    "positive": (1, "1", "yes"),
    "missing": ("drop", "wrong", "error"),
    "unit": ("item", "fold", "seed", "dataset"),
    "measure": ("accuracy", "f1", "roc_auc", "rmse", "x"),
    "models_in_rows": (True,),
    "decimal": (",", "."),
}
"""Options that people try, sensible or not."""


class Unstable(Exception):
    """The same table in another order had another answer."""


def mutants(
    root: Path, seed: int, count: int, only: int | None
) -> Iterator[tuple[int, Case, list[Path], str]]:
    """Files of the corpus, one of them changed; a mutant can be made again by its number."""
    for number in range(count):
        if only not in (None, number):
            continue
        rng = random.Random(f"{seed} {number}")
        case, folder = rng.choice(CASES), root / "mutant"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        case.scene.make(folder)
        paths = [folder / name for name in case.files]
        path = rng.choice([one for one in paths if one.is_file()] or paths)
        change = changed_bytes if rng.random() < 0.25 else BY_SUFFIX.get(path.suffix, changed_text)
        try:
            what = change(path, rng)
        except (UnicodeError, ValueError, IsADirectoryError):
            what = changed_bytes(path, rng) if path.is_file() else "as it is"
        yield number, case, paths, what


def asked(paths: list[Path], rng: random.Random) -> Callable[[Path], None]:
    """What one person types: perhaps some options, and one of the verbs."""
    import assay

    told = {name: rng.choice(values) for name, values in TOLD.items() if rng.random() < 0.12}
    verb = rng.choice(("look", "evaluate", "compare", "compare", "gate"))

    def door(_: Path) -> None:
        reading = assay.look(*paths, **told)
        printable(reading.sentence)
        printable(str(reading))
        if verb == "look":
            return
        evidence = reading.evidence()
        printable(repr(evidence.summary()))
        if verb == "evaluate":
            printable(str(assay.evaluate(evidence, rng=1, n_resamples=19)))
        elif verb == "gate":
            names = list(getattr(evidence, "models", ()))
            printable(
                str(assay.gate(evidence, baseline=names[0], margin=0.01, rng=1)) if names else ""
            )
        else:
            printable(str(assay.compare(evidence, rng=1, n_resamples=19)))
            _steady(paths, told)

    return door


def _steady(paths: list[Path], told: dict[str, Any]) -> None:
    """A second way to the answer: the lines below the head of a plain CSV turned round."""
    import assay

    if len(paths) != 1 or paths[0].suffix != ".csv":
        return
    text = paths[0].read_bytes()
    head, *rows = text.split(b"\n")
    if b'"' in text or not rows or rows[-1] != b"" or told.get("unit") in ("fold", "seed"):
        return
    turned = paths[0].with_name("turned.csv")
    turned.write_bytes(b"\n".join([head, *rows[-2::-1], b""]))
    try:
        first, second = (
            assay.compare(one, **told, rng=1, n_resamples=19) for one in (paths[0], turned)
        )
    except assay.AssayError:
        return  # a title or a foot is no row
    words = [
        [(v.a, v.b, v.word) for v in one.verdicts]
        for one in (first, second)
        if hasattr(one, "verdicts")
    ]
    if len(words) == 2 and sorted(words[0]) != sorted(words[1]) and _same_rows(first, second):
        raise Unstable(f"{words[0][:2]} and {words[1][:2]}")


def _same_rows(first: Any, second: Any) -> bool:
    return bool(
        first.evidence.n == second.evidence.n and first.evidence.models == second.evidence.models
    )


def main() -> None:
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--mutants", type=int, default=500)
    given.add_argument("--seed", type=int, default=1)
    given.add_argument("--only", type=int, help="the number of one mutant")
    options = given.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    seen: dict[str, int] = {}
    slowest = (0.0, "")
    with tempfile.TemporaryDirectory(prefix="assay-fuzz-") as place:
        for number, case, paths, what in mutants(
            Path(place), options.seed, options.mutants, options.only
        ):
            begun = time.monotonic()
            found = knock(asked(paths, random.Random(f"{options.seed} {number} door")), paths[0])
            slowest = max(slowest, (time.monotonic() - begun, f"{number} {case.id}"))
            if found:
                seen[found] = seen.get(found, 0) + 1
                if seen[found] == 1:
                    print(f"{number} {case.id}: {what}\n    {found}", flush=True)
            if number % 500 == 499:
                print(f"{number + 1} mutants, {len(seen)} distinct findings", flush=True)
    print(
        f"{options.mutants} mutants, {len(seen)} distinct findings; slowest {slowest[0]:.1f} s ({slowest[1]})"
    )
    raise SystemExit(1 if seen else 0)


if __name__ == "__main__":
    main()
