"""Readers: tables, logs and objects of every kind."""
