"""The demo meeting: `meeting.flac` and its reference `meeting.json`, made by `scripts/make_demo_audio.py`."""
