"""What one visitor may ask of the machine; larger work belongs to the command line."""

MIB = 2**20

MAX_UPLOAD = 512 * MIB
"""Bytes of one request, counted as they arrive."""
MAX_FILES = 20
MAX_PASTE = 4 * MIB
"""Characters of a pasted table."""
MAX_ROWS = 5_000_000
MAX_MODELS = 60
MAX_RESAMPLES = 100_000
MAX_HELD = 40
"""Sets of evidence kept at once; the oldest leaves first."""
MAX_DESK = 4096 * MIB
"""Bytes of all files kept at once."""
MAX_TEXT = 500
"""Characters of one field of a form or of the address."""
MAX_FIELDS = 300
"""Fields of one form or address."""

JOB_SECONDS = 180.0
"""After this a job is stopped."""
JOB_BYTES = 6 * 2**30
"""Address space of a job."""
PATIENCE = 6.0
"""Seconds that a request waits before it answers that work is under way."""
MAX_WAITING = 100
"""Jobs waiting or running; one more is refused for now."""
MAX_KEPT = 200
"""Answers kept for the same question asked again."""
MAX_ANSWER = 64 * MIB
"""Bytes of one answer of a job."""

MAX_STUDY_FILES = 20
"""Files of a visitor in one study."""
MAX_STUDY_TASKS = 50_000
"""Fits of a study that is started from the page."""
MAX_RUNS = 2
"""Studies that run at once; each has a process for every processor."""
MAX_COLUMNS = 200
"""Columns of a table that the form of a study lists."""
