"""Errors that teach: what came, what is needed, what to use instead."""

from assay.core.wording import in_python


class AssayError(Exception):
    """Base of every error that assay raises on purpose."""

    def __str__(self) -> str:
        """The message for a reader in Python."""
        return in_python(self.for_both)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({str(self)!r})"

    @property
    def for_both(self) -> str:
        """The message for Python and the terminal (see `wording`), as text that can be written:
        half a character of strange data becomes its code.
        """
        return BaseException.__str__(self).encode("utf-8", "backslashreplace").decode()


class EvidenceError(AssayError, ValueError):
    """The data cannot be used as they are (exit code 4)."""


class NotApplicable(EvidenceError):
    """The method does not fit this evidence; the message names one that does."""


class UsageError(AssayError, ValueError):
    """An argument is outside what the function accepts (exit code 2)."""


class UnknownArgument(UsageError, TypeError):
    """A function has no argument of this name; the nearest one is named."""


class UnknownPart(UsageError, KeyError):
    """A result has no part of this name; it may be looked for as in a mapping."""


class MissingDependency(AssayError, ImportError):
    """An optional package is needed; the message names the extra to install."""


class NoSingleVerdict(UsageError, AttributeError):
    """There are several verdicts, so there is no attribute ``verdict``: ``hasattr`` says so too."""
