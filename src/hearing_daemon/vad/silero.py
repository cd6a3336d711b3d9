"""The one door to onnxruntime: Silero VAD v6, from the ONNX file that faster-whisper carries.

faster-whisper itself is only located, not imported: it would bring the whole recognizer along. The official
onnxruntime reports home and keeps a device id in the cache folder unless it is told not to before it loads.
"""

import os

os.environ["ORT_DISABLE_TELEMETRY"] = "1"

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from hearing.errors import ModelError

if TYPE_CHECKING:
    from hearing.interfaces import Samples

FRAME_SAMPLES: Final = 512
_CONTEXT_SAMPLES: Final = 64  # the network sees the end of the frame before
_STATE_SHAPE: Final = (1, 1, 128)
_FULL_SCALE: Final = 32_768.0


def weights() -> Path:
    """Find the ONNX file.

    Raises:
        ModelError: This faster-whisper carries another one.
    """
    spec = find_spec("faster_whisper")
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        file = Path(folder) / "assets" / "silero_vad_v6.onnx"
        if file.is_file():
            return file
    raise ModelError("`silero_vad_v6.onnx` is not where faster-whisper keeps it", hint="reinstall the suite")


class Silero:
    """Rates frames one after another; it remembers what it heard."""

    def __init__(self, file: Path | None = None) -> None:
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # more threads cost more than a frame is worth
        options.inter_op_num_threads = 1
        options.log_severity_level = 4
        self._session = onnxruntime.InferenceSession(
            str(file or weights()), providers=["CPUExecutionProvider"], sess_options=options
        )
        self.reset()

    def reset(self) -> None:
        """Forget the sound before."""
        self._hidden: NDArray[np.float32] = np.zeros(_STATE_SHAPE, dtype=np.float32)
        self._cell: NDArray[np.float32] = np.zeros(_STATE_SHAPE, dtype=np.float32)
        self._context: NDArray[np.float32] = np.zeros(_CONTEXT_SAMPLES, dtype=np.float32)

    def probability(self, sound: "Samples") -> float:
        """Rate the last frame of `(n * FRAME_SAMPLES,) int16, 16 kHz`, after hearing those before it."""
        scaled = sound.astype(np.float32) / _FULL_SCALE
        heard = np.concatenate([self._context, scaled])
        rows = np.lib.stride_tricks.sliding_window_view(heard, FRAME_SAMPLES + _CONTEXT_SAMPLES)
        self._context = heard[-_CONTEXT_SAMPLES:]
        rated, self._hidden, self._cell = self._session.run(
            None,
            {"input": np.ascontiguousarray(rows[::FRAME_SAMPLES]), "h": self._hidden, "c": self._cell},
        )
        return float(rated[-1])
