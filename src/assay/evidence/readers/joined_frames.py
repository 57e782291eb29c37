"""Frames on a cluster joined by item id where they are; only counts and complaints come back."""

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.lazy import LazyRows
from assay.evidence.names import Role
from assay.evidence.readers.aligned import SHARED, Joined
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.mismatch import (
    Absent,
    OnMismatch,
    refuse_conflict,
    refuse_missing_ids,
    refuse_repeated_ids,
    same_value,
    settle_mismatch,
)
from assay.evidence.readers.objects import as_arrays
from assay.evidence.roles import ModelColumns
from assay.evidence.settle import renamed

_NAMED = 5


def join_frames(laid: Sequence[Layout], *, policy: OnMismatch) -> Joined:
    """One lazy frame of the items that the laid have in common."""
    repeated = all("repeat" in layout.roles for layout in laid)
    keys = ["id", "rep"] if repeated else ["id"]
    frames: list[Any] = []
    origins = _key_origins(laid[0], repeated=repeated)
    columns = {key: key for key in keys}
    models: dict[str, ModelColumns] = {}
    shared: dict[Role, list[tuple[str, str]]] = {}
    for place, layout in enumerate(laid):
        _check_keys(layout, repeated=repeated)
        alias = {name: f"{place}:{name}" for name in _carried(layout)}
        columns |= {
            other: f"p{place}_{layout.table.own_name(name)}" for name, other in alias.items()
        }
        frames.append(_part(layout, alias, columns, repeated=repeated))
        origins |= {other: f"column {name!r} of {layout.title}" for name, other in alias.items()}
        for role in SHARED:
            if role in layout.roles:
                shared.setdefault(role, []).append((layout.title, alias[layout.roles[role]]))
        models |= {model: renamed(of, alias) for model, of in layout.models.items()}
    joined = frames[0]
    for frame in frames[1:]:
        joined = joined.join(frame, on=keys, how="inner")
    titles = [layout.title for layout in laid]
    common = _count(joined)
    absent = _absent(titles, frames, keys, common)
    every = _every(frames, keys) if any(lack.count for lack in absent) else common
    notes = settle_mismatch(absent, every=every, common=common, policy=policy)
    for role, listed in shared.items():
        _check_agreement(joined, role, listed, columns)
    roles: dict[Role, str] = {role: listed[0][1] for role, listed in shared.items()}
    roles["id"] = "id"
    if repeated:
        roles["repeat"] = "rep"
    rows = LazyRows(joined, columns, tuple(titles), as_arrays, origins)
    return Joined(rows=rows, roles=roles, models=models, notes=notes)


def _key_origins(first: Layout, *, repeated: bool) -> dict[str, str]:
    origins = {"id": f"column {first.roles['id']!r} of {first.title}"}
    if repeated:
        origins["rep"] = f"column {first.roles['repeat']!r} of {first.title}"
    return origins


def _carried(layout: Layout) -> list[str]:
    kept = [layout.roles[role] for role in SHARED if role in layout.roles]
    return list(dict.fromkeys([*kept, *(n for of in layout.models.values() for n in of.used())]))


def _part(
    layout: Layout, alias: Mapping[str, str], columns: Mapping[str, str], *, repeated: bool
) -> Any:
    import narwhals as nw

    def own(name: str) -> nw.Expr:
        return nw.col(layout.table.own_name(name))

    chosen = {"id": own(layout.roles["id"]).cast(nw.String)}
    if repeated:
        chosen["rep"] = own(layout.roles["repeat"]).cast(nw.String)
    chosen |= {columns[other]: own(name) for name, other in alias.items()}
    return layout.table.frame.select(**chosen)


def _check_keys(layout: Layout, *, repeated: bool) -> None:
    names = [layout.roles["id"], *([layout.roles["repeat"]] if repeated else [])]
    kinds = layout.table.frame.collect_schema()
    for name in names:
        if kinds[layout.table.own_name(name)].is_float():
            raise EvidenceError(
                f"column {name!r} of {layout.title} holds fractions, which make poor ids on a "
                "cluster; cast it to whole numbers or text first"
            )
    rows = layout.table.rows(names)
    distinct, missing = rows.distinct(names)
    if missing:
        refuse_missing_ids(layout.title, missing)
    extra = rows.size() - distinct
    if extra:
        refuse_repeated_ids(layout.title, extra, rows.repeated(names, _NAMED))


def _count(frame: Any) -> int:
    import narwhals as nw

    return int(frame.select(n=nw.len()).collect().item())


def _every(frames: Sequence[Any], keys: Sequence[str]) -> int:
    import narwhals as nw

    return _count(nw.concat([frame.select(*keys) for frame in frames]).unique())


def _absent(
    titles: Sequence[str], frames: Sequence[Any], keys: Sequence[str], common: int
) -> list[Absent]:
    """What each frame lacks of the ids of the others; counted only where sizes differ."""
    import narwhals as nw

    if all(_count(frame) == common for frame in frames):
        return [Absent(title, 0, ()) for title in titles]
    ids = nw.concat([frame.select(*keys) for frame in frames]).unique()
    found = []
    for title, frame in zip(titles, frames, strict=True):
        lacking = ids.join(frame.select(*keys), on=list(keys), how="anti")
        first = lacking.sort(*keys).head(_NAMED).collect().rows()
        listed = tuple(" / ".join(map(str, row)) for row in first)
        found.append(Absent(title, _count(lacking), listed))
    return found


def _check_agreement(
    joined: Any, role: Role, listed: Sequence[tuple[str, str]], columns: Mapping[str, str]
) -> None:
    """Values of a shared column must agree; the distinct combinations are judged here."""
    import narwhals as nw

    if len(listed) < 2:
        return
    names = [columns[name] for _, name in listed]
    found = joined.group_by(*names).agg(times=nw.len(), first=nw.col("id").min()).collect().rows()
    wrong = [row for row in found if not same_value(row[:-2])]
    if wrong:
        first = sorted((str(row[-1]), row[:-2]) for row in wrong)[:3]
        refuse_conflict(role, [title for title, _ in listed], sum(r[-2] for r in wrong), first)
