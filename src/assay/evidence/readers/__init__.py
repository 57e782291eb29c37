"""Readers: tables of every kind into evidence."""

from assay.evidence.readers.door import read

__all__ = ["read"]
