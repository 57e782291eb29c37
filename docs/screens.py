"""Makes every picture under docs/pictures: ``python docs/screens.py`` (needs Chromium and playwright).

The page and the reports at the widths of a desk and of a phone, from the example of the README and from a
small study, so that whoever changes a template sees what a reader sees.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
FOLDER = Path(__file__).parent / "pictures"
EXAMPLE = ROOT / "examples" / "predictions.csv"
WIDTHS = {"desk": 1280, "phone": 390}
TALLEST = 2400
STILL = 1_500
"""Milliseconds until figures that draw themselves stand still."""
COLOURS = 96
STUDY = """
name = "trees-and-bayes"
seed = 7
measures = ["accuracy"]
datasets = ["iris", "wine", "breast_cancer", "penguins", "glass", "zoo", "phishing", "anes_vote"]
[resampling]
scheme = "cv"
folds = 5
[learners.tree]
estimator = "sklearn.tree.DecisionTreeClassifier"
[learners.bayes]
estimator = "sklearn.naive_bayes.GaussianNB"
[learners.forest]
estimator = "sklearn.ensemble.RandomForestClassifier"
params = { n_estimators = 20 }
[curves.learning]
schedule = "geometric"
points = 5
"""


def assay(*words: str, folder: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "assay", *words], cwd=folder, check=True, capture_output=True
    )


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """The address of a page that runs meanwhile."""
    command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        said = ""
        while not (found := re.search(r"https?://\S+", said)):
            said += process.stdout.readline() if process.stdout else ""
        try:
            yield found[0]
        finally:
            process.terminate()


def small(shot: bytes) -> bytes:
    """A screenshot of few colours, cut where nobody reads on."""
    image = Image.open(BytesIO(shot)).convert("RGB")
    image = image.crop((0, 0, image.width, min(image.height, TALLEST)))
    stream = BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(stream, "png", optimize=True)
    return stream.getvalue()


def shoot_reports(browser: Browser, folder: Path) -> None:
    for name in ("report", "study"):
        for kind, width in WIDTHS.items():
            page = browser.new_page(viewport={"width": width, "height": 900})
            page.goto((folder / f"{name}.html").as_uri())
            height = page.evaluate("document.documentElement.scrollHeight")
            print(f"{name} at {width} px: {height} px high", flush=True)
            (FOLDER / f"screen_{name}_{kind}.png").write_bytes(
                small(page.screenshot(full_page=True))
            )
            page.close()


def shoot_page(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector("#files", state="attached")  # the address opens another
    page.wait_for_load_state("networkidle")
    for kind, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        (FOLDER / f"screen_start_{kind}.png").write_bytes(small(page.screenshot(full_page=True)))
    root = page.url.rstrip("/")
    page.goto(f"{root}/studies/new?dataset=iris&dataset=wine&learner=tree&learner=forest")
    for kind, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        (FOLDER / f"screen_new_study_{kind}.png").write_bytes(
            small(page.screenshot(full_page=True))
        )
    page.goto(root)
    page.set_input_files("#files", str(EXAMPLE))
    page.wait_for_selector("#verdict", timeout=60_000)
    page.wait_for_load_state("networkidle")
    for kind, width in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()  # figures come in another width
        page.wait_for_selector("#verdict", timeout=60_000)
        page.evaluate(
            "window.scrollTo(0, document.body.scrollHeight)"
        )  # those below come when seen
        page.wait_for_load_state("networkidle")
        page.evaluate("window.scrollTo(0, 0)")
        page.wait_for_timeout(STILL)
        (FOLDER / f"screen_answer_{kind}.png").write_bytes(small(page.screenshot(full_page=True)))


def main() -> None:
    """The pictures of figures as well: one command for everything under docs/pictures."""
    subprocess.run([sys.executable, str(Path(__file__).parent / "pictures.py")], check=True)
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        (folder / "study.toml").write_text(STUDY)
        assay("run", "study.toml", "--store", "study.db", folder=folder)
        assay("report", "study.db", "--output", "study.html", folder=folder)
        assay("compare", str(EXAMPLE), "--output", "report.html", folder=folder)
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        shoot_reports(browser, folder)
        with served(folder) as address:
            shoot_page(browser, address)
        browser.close()


if __name__ == "__main__":
    main()
