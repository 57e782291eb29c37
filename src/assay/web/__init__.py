"""The local page: the library with a face. No statistics here; every number comes from assay."""

from assay.core.extras import needs

needs("page")
