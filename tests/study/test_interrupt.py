"""Ctrl-C waits for a safe point, once; a second one does not wait."""

import os
import signal
import threading

import pytest

from assay.study.interrupt import Interrupt


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


class TestInterrupt:
    def test_it_waits_until_it_is_heeded(self) -> None:
        before = signal.getsignal(signal.SIGINT)
        work = []
        with Interrupt() as interrupt:
            interrupt.heed()
            press()
            work.append("to its end")
            with pytest.raises(KeyboardInterrupt):
                interrupt.heed()
            interrupt.seen = False
        assert work == ["to its end"]
        assert signal.getsignal(signal.SIGINT) is before

    def test_a_second_one_is_raised_at_once(self) -> None:
        with Interrupt() as interrupt:
            press()
            with pytest.raises(KeyboardInterrupt):
                press()
            interrupt.seen = False

    def test_one_that_nobody_heeded_is_raised_at_the_end(self) -> None:
        def work() -> None:
            with Interrupt():
                press()

        with pytest.raises(KeyboardInterrupt):
            work()

    def test_signals_left_to_the_system_and_other_threads_are_left_alone(self) -> None:
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        handlers = []

        def work() -> None:
            with Interrupt():
                handlers.append(signal.getsignal(signal.SIGINT))

        with Interrupt():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        assert handlers == [signal.default_int_handler]
