"""Where studies are kept: one schema for SQLite (a path) and PostgreSQL (a URL)."""
