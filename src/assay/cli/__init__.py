"""The command line: a verb per file, each loaded when it is called; no statistics here.

`main.py` knows the verbs and the exit codes, `options.py` has the options that verbs share, `output.py`
writes results. `terminal_questions.py` asks open questions at a terminal.
"""
