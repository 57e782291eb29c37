"""Studies: learners on data sets on splits, run fairly, recorded completely, resumed safely."""
