"""The values and words that every layer speaks; imports nothing of assay but itself.

`results.py` has the few frozen result types, `notes.py` the caveats as data, `methods.py` the record of a
method and the catalogue built from records, `errors.py` and `questions.py` what is said when something
is wrong or open. `wire.py` is the one JSON form of every result. `formatting.py` writes
names and numbers; nothing else formats. A new fact about methods becomes a field of `Method`; a new
caveat is a line in `notes.py` and a paragraph in docs/notes.md.
"""
