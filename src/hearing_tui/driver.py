"""Textual's own driver, held to starting once before it stops."""

from textual.drivers.linux_driver import LinuxDriver


class SteadyDriver(LinuxDriver):
    """Takes a SIGCONT that no Ctrl-Z preceded for what it is: a redraw.

    Textual would start a second time, remember the terminal as it had made it itself, and give it back raw.
    """

    _runs = False  # between a start and its stop

    def start_application_mode(self) -> None:
        """Take the terminal, unless it is ours already."""
        if self._runs:
            self._app.call_later(self._app.refresh)
            return
        self._runs = True
        super().start_application_mode()  # type: ignore[no-untyped-call]

    def stop_application_mode(self) -> None:
        """Give the terminal back."""
        self._runs = False
        super().stop_application_mode()
