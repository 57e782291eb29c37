"""How often our own default procedures err: the grid, its cells, and what was measured in them."""
