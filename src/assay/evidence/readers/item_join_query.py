"""Files and frames that are joined by item id, and the query that joins them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import Role
from assay.evidence.readers.item_join_memory import SHARED
from assay.evidence.rows_sql import IN_ORDER, SqlColumn, as_text


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FilePart:
    """A file with its roles and models, to be joined with others."""

    title: str
    sql: str
    columns: Mapping[str, SqlColumn]
    roles: Mapping[Role, str]
    models: Mapping[str, ModelColumns]
    countable: bool = False  # whether the number of its rows is known without reading them

    def record(self, place: int) -> str:
        """The column of the joined table that tells where in its file a row stood.

        Rows are numbered as they come (``r``); where some were left out before, by the file (``l``).
        """
        first = next(iter(self.columns.values()))
        return f"r{place}" if first.record == IN_ORDER else f"l{place}"

    def aliases(self, place: int) -> list[str]:
        """What the columns in use are called in SQL where parts are joined."""
        return [f"p{place}_{at}" for at in range(len(self.used()))]

    def used(self) -> list[str]:
        kept = [self.roles[role] for role in SHARED if role in self.roles]
        return list(dict.fromkeys([*kept, *(n for of in self.models.values() for n in of.used())]))


def outer_join(
    parts: Sequence[FilePart], ids: Sequence[str], number: str, *, repeated: bool = False
) -> str:
    """A chain of full outer joins, so that whatever does not match can be counted and named."""
    chain, keys = "", "id, rep" if repeated else "id"
    for place, (part, key) in enumerate(zip(parts, ids, strict=True)):
        terms = [f"{key} as id", f"{number} as r{place}"]
        if part.record(place) != f"r{place}":
            terms.append(f"{next(iter(part.columns.values())).record} as l{place}")
        if repeated:
            terms.append(f"{as_text(part.columns[part.roles['repeat']])} as rep")
        named = zip(part.used(), part.aliases(place), strict=True)
        terms += [f"{part.columns[name].sql} as {alias}" for name, alias in named]
        chosen = f"(select {', '.join(terms)} from {part.sql}) p{place}"  # noqa: S608
        chain += f" full outer join {chosen} using ({keys})" if place else chosen
    return f"select * from {chain}"  # noqa: S608
