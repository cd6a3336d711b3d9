"""Every mistake in the configuration is one sentence with file, line and key."""

import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hearing import config, paths
from hearing.config import Config, parse
from hearing.errors import ConfigError, ExitCode


def mistake(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        parse(text, "c.toml")
    assert caught.value.exit_code is ExitCode.CONFIG
    return caught.value


def test_an_empty_file_is_all_defaults() -> None:
    assert parse("") == parse("# nothing\n") == parse("[vad]\n[stt]\n") == Config()


def test_every_table_is_read() -> None:
    read = parse(
        '[capture]\nmic = "off"\n[vad]\nthreshold = 1\n[stt]\nmodel = "base"\n[models]\noffline = true'
    )
    assert (read.capture.mic, read.vad.threshold, read.stt.model, read.models.offline) == (
        "off",
        1.0,
        "base",
        True,
    )


@pytest.mark.parametrize(
    ("text", "line", "key", "hint"),
    [
        ("[vda]\n", 1, "vda", "did you mean `vad`?"),
        ("\n\n[vad]\nthreshhold = 0.5", 4, "vad.threshhold", "did you mean `threshold`?"),
        ("[vad]\nhangover_ms = 1", 2, "vad.hangover_ms", "did you mean `hang_over_ms`?"),
        ("vad.onset = 1", 1, "vad.onset", "did you mean `onset_ms`?"),
        ("[vad]\n[vad.more]\nx = 1", 2, "vad.more", "known here: "),
        ("stt = { modell = 'x' }", 1, "stt.modell", "did you mean `model`?"),
        ('[stt]\nmodel = "x"\n"my key" = 1', 1, "stt.my key", "known here: model"),
        ("[stt]\nqqqqqq = 1", 2, "stt.qqqqqq", "known here: model, language"),
        ("# \u2028 is no new line, \x85 neither\n[vad]\nq = 1", 3, "vad.q", "known here"),
        ("[vad]\r\nq = 1\r\n", 2, "vad.q", "known here"),
    ],
)
def test_an_unknown_key_is_named_with_its_line_and_the_nearest(
    text: str, line: int, key: str, hint: str
) -> None:
    error = mistake(text)
    assert error.sentence == f"c.toml:{line}: `{key}` is no known key"
    assert error.hint.startswith(hint)


@pytest.mark.parametrize(
    ("text", "line", "key"),
    [
        ("[vad]\n\nthreshold = 1.01", 3, "vad.threshold"),
        ("[vad]\nthreshold = -0.01", 2, "vad.threshold"),
        ("[vad]\nthreshold = nan", 2, "vad.threshold"),
        ("[vad]\nthreshold = 'loud'", 2, "vad.threshold"),
        ("[vad]\nonset_ms = 1.5", 2, "vad.onset_ms"),
        ("[vad]\nonset_ms = true", 2, "vad.onset_ms"),
        ("[vad]\nonset_ms = 600001", 2, "vad.onset_ms"),
        ("[stt]\nthreads = 99999999999999999999999999", 2, "stt.threads"),
        ("[stt]\nmodel = 3", 2, "stt.model"),
        ("[stt]\nmodel = 1979-05-27", 2, "stt.model"),
        ('[capture]\nbackend = "jack"', 2, "capture.backend"),
        ("vad = 3", 1, "vad"),
        ("\n[[vad]]\n", 2, "vad"),
        ("\nstt = { threads = -1 }", 2, "stt.threads"),
        ("[models]\noffline = 0", 2, "models.offline"),
    ],
)
def test_a_wrong_value_is_named_with_its_line(text: str, line: int, key: str) -> None:
    assert mistake(text).sentence.startswith(f"c.toml:{line}: `{key}`: ")


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[vad\n", 1),
        ("\nx = ", 2),
        ("\n\nx = [1,\n", 3),
        ("a = 1\na = 2\n", 2),
        ("[stt]\n\nmodel = unquoted", 3),
        ("\ufeff[stt]", 1),
        ("a = '''\nnever closed\n", 2),
        ("\nthreads = " + "9" * 5_000 + "\n", 2),
        ("\n\na = " + "[" * 5_000 + "\n", 3),
    ],
)
def test_bad_toml_is_named_with_its_line(text: str, line: int) -> None:
    assert mistake(text).sentence.startswith(f"c.toml:{line}: bad TOML: ")


@given(st.text(max_size=60) | st.lists(st.sampled_from(list("[]{}=.\"'\n#a1 ")), max_size=40).map("".join))
def test_any_text_is_a_config_or_a_sentence_with_a_line(text: str) -> None:
    try:
        parse(text, "c.toml")
    except ConfigError as error:
        assert re.match(r"c\.toml:\d+: ", error.sentence)  # noqa: PT017


def test_a_missing_file_of_the_user_means_defaults() -> None:
    assert config.load() == Config()


def test_the_users_own_file_is_read() -> None:
    file = Path(paths.config_file())
    file.parent.mkdir(parents=True)
    file.write_text("[stt]\nbeam_size = 4\n", encoding="utf-8")
    assert config.load().stt.beam_size == 4


def test_a_stated_file_must_exist(home: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist") as caught:
        config.load(str(home / "no.toml"))
    assert "hearing config init" in caught.value.hint


def test_what_cannot_be_read_is_one_sentence(home: Path) -> None:
    with pytest.raises(ConfigError, match=f"config `{home}` cannot be read: is a directory"):
        config.load(str(home))
    latin = home / "latin.toml"
    latin.write_bytes(b"# ok\nmodel = 'caf\xe9'\n")
    with pytest.raises(ConfigError, match=r"latin\.toml:2: bad TOML: the file is not UTF-8"):
        config.load(str(latin))


def test_a_pipe_hangs_nobody(home: Path) -> None:
    os.mkfifo(home / "pipe.toml")
    with pytest.raises(ConfigError, match="is no file"):
        config.load(str(home / "pipe.toml"))


def test_a_device_without_an_end_is_refused_and_an_empty_one_is_all_defaults() -> None:
    with pytest.raises(ConfigError, match="is larger than"):
        config.load("/dev/zero")
    assert config.load("/dev/null") == Config()


def test_a_huge_file_is_refused_before_it_is_read_whole(home: Path) -> None:
    with (home / "huge.toml").open("wb") as file:
        file.truncate(10 * 1024**3)
    with pytest.raises(ConfigError, match="is larger than"):
        config.load(str(home / "huge.toml"))
