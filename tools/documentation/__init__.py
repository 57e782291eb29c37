"""`make docs`: the documentation as a site, from the pages that stand in the repository and from records."""
