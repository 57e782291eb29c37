"""Studies: learners on data sets on splits, run fairly, recorded completely, resumed safely."""

from assay.core.extras import needs

needs("study")
