"""How methods behave: errors and coverage, counted in worlds whose truth is known."""
