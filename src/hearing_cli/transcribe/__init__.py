"""The parts of `hearing transcribe`: where documents go, what the transcriber says, how progress looks."""
