"""The works behind the methods, by the keys that method records carry."""

import re
import tomllib
import unicodedata
from importlib.resources import files

_KEY = re.compile(r"[a-z]+\d{4}[a-z]*")
_CITED = re.compile(r"(?P<surname>[^\W\d_][^\s,&(]*).*?\((?P<year>\d{4})\)")
_WHERE = re.compile(r"\b(?:method|section|chapter) [\d.]+")

BIBLIOGRAPHY: dict[str, str] = tomllib.loads(
    files("assay.report").joinpath("references.toml").read_text(encoding="utf-8")
)
"""A new method adds its work here, or carries the citation itself."""


def works(reference: str) -> tuple[str, ...]:
    """The citations a record's ``reference`` stands for, one for each part between semicolons.

    Keys are looked up. A short citation (name, year, journal) is completed from the bibliography
    where it is there beyond doubt, and stands as it is otherwise.
    """
    found: list[str] = []
    for part in filter(None, map(str.strip, reference.split(";"))):
        keys = part.replace(",", " ").split()
        if all(_KEY.fullmatch(key) for key in keys):
            found += [BIBLIOGRAPHY.get(key, key) for key in keys]
        else:
            found.append(_completed(part))
    return tuple(dict.fromkeys(found))


def _completed(citation: str) -> str:
    cited = _CITED.match(citation)
    if cited is None:
        return citation
    letters = unicodedata.normalize("NFKD", cited["surname"].lower())
    stem = "".join(letter for letter in letters if letter.isascii() and letter.isalpha())
    known = [
        work
        for key, work in BIBLIOGRAPHY.items()
        if re.fullmatch(f"{stem}{cited['year']}[a-z]*", key)
    ]
    if len(known) > 1:  # several works of one year: the first page tells which, or the title
        marks = [f":{page}–" for page in re.findall(r"\d+(?=[-–]\d)", citation)]
        marks += [f". {title}" for title in re.findall(r"\), ([^,]+)", citation)]
        known = [work for work in known if any(mark in work for mark in marks)]
    if len(known) != 1 or len(citation) > len(known[0]):
        return citation
    where = _WHERE.search(citation)
    return f"{known[0]} {where[0].capitalize()}." if where else known[0]
