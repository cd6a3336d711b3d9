"""Voice activity: a cheap gate, a neural network behind it, and the two as one `Vad`."""

from hearing.config import VadConfig
from hearing.interfaces import Vad


def build(config: VadConfig) -> Vad:
    """Give one leg its detector; loads the network, and only now its library.

    Raises:
        ModelError: The network's file is missing.
    """
    from hearing_daemon.vad.cascade import Cascade
    from hearing_daemon.vad.gate import Gate
    from hearing_daemon.vad.silero import Silero

    return Cascade(Gate(config.gate), Silero())
