"""What every worker needs, imported once by the server that workers are forked from."""

from assay.study.task_run import Workshop

Workshop.warm_up()
