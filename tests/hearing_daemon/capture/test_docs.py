"""The docs show the table as it is."""

from pathlib import Path

from hearing_daemon.capture import reopen

DOCS = Path(__file__).parents[3] / "docs" / "capture.md"


def test_the_table_in_the_docs_is_the_table() -> None:
    assert reopen.markdown() in DOCS.read_text(encoding="utf-8"), (
        f"put this into `{DOCS.name}`:\n{reopen.markdown()}"
    )
