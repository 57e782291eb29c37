"""What every worker needs, imported once by the server that workers are forked from."""

from assay.study.records import Workshop

Workshop.warm_up()
