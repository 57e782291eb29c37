"""The tables of a store, the same in SQLite and PostgreSQL; explained in docs/inside/store.md."""

from sqlalchemy import (
    BigInteger,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

VERSION = 1
"""Raised, with a step in ``migrate.py``, whenever a table changes."""

tables = MetaData()
_number = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows only as INTEGER

meta = Table(
    "meta",
    tables,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

study = Table(
    "study",
    tables,
    Column("id", _number, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("spec", Text, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("plan", Text, nullable=False),
    Column("created", Text, nullable=False),
)

dataset = Table(
    "dataset",
    tables,
    Column("id", _number, primary_key=True),
    Column("fingerprint", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("task", Text, nullable=False),
    Column("target", Text, nullable=False),
    Column("source", Text, nullable=False),
    Column("n", Integer, nullable=False),
    Column("classes", Text, nullable=False),
    Column("arrays", LargeBinary, nullable=False),
)

learner = Table(
    "learner",
    tables,
    Column("id", _number, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("description", Text, nullable=False),
)

environment = Table(
    "environment",
    tables,
    Column("id", _number, primary_key=True),
    Column("digest", Text, nullable=False, unique=True),
    Column("description", Text, nullable=False),
)

measure = Table(
    "measure",
    tables,
    Column("id", _number, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("direction", Text, nullable=False),
)

entry = Table(
    "entry",
    tables,
    Column("study_id", ForeignKey("study.id"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("key", Text, nullable=False),
    Column("dataset", Text, nullable=False),
    Column("learner", Text, nullable=False),
    Column("repeat", Integer, nullable=False),
    Column("fold", Integer, nullable=False),
    Column("train_size", Integer),
    Column("noise_on", Text),
    Column("noise_level", Float(53)),
    sqlite_with_rowid=False,
)

task = Table(
    "task",
    tables,
    Column("id", _number, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("status", Text, nullable=False),
    Column("dataset_id", ForeignKey("dataset.id"), nullable=False),
    Column("learner_id", ForeignKey("learner.id"), nullable=False),
    Column("environment_id", ForeignKey("environment.id"), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("n_train", Integer),
    Column("n_test", Integer),
    Column("fit_wall", Float(53)),
    Column("fit_cpu", Float(53)),
    Column("predict_wall", Float(53)),
    Column("predict_cpu", Float(53)),
    Column("train_predict_wall", Float(53)),
    Column("train_predict_cpu", Float(53)),
    Column("complexity_name", Text),
    Column("complexity", Float(53)),
    Column("details", Text, nullable=False),
    Column("error", Text),
    Column("limit_value", Float(53)),
    Column("attempts", Integer, nullable=False),
    Column("finished", Text, nullable=False),
)

score = Table(
    "score",
    tables,
    Column("task_id", ForeignKey("task.id"), primary_key=True),
    Column("measure_id", ForeignKey("measure.id"), primary_key=True),
    Column("part", Text, primary_key=True),
    Column("value", Float(53)),
    sqlite_with_rowid=False,
)

prediction = Table(
    "prediction",
    tables,
    Column("task_id", ForeignKey("task.id"), primary_key=True),
    Column("codec", Text, nullable=False),
    Column("data", LargeBinary, nullable=False),
)

lease = Table(
    "lease",
    tables,
    Column("key", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("expires", Float(53), nullable=False),
)

Index("lease_owner", lease.c.owner)

SCORES_VIEW = """
CREATE VIEW study_scores AS
SELECT study.name AS study, entry.dataset, entry.learner, entry.repeat, entry.fold,
       entry.train_size, entry.noise_on, entry.noise_level, task.status,
       task.n_train, task.n_test, measure.name AS measure, score.part, score.value
FROM entry
JOIN study ON study.id = entry.study_id
LEFT JOIN task ON task.key = entry.key
LEFT JOIN score ON score.task_id = task.id
LEFT JOIN measure ON measure.id = score.measure_id
"""
"""One row per planned task and measure, for people with a SQL prompt; unfinished tasks have NULLs."""
