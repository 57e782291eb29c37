"""Where studies are kept: one schema for SQLite (a path) and PostgreSQL (a URL)."""

from assay.core.extras import needs

needs("study")
