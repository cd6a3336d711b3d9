"""The floor of Hearing: types, messages, protocol, transport, config and the model store.

Nothing is imported here on purpose: `hearing-ctl` starts in tens of milliseconds because of it.
"""

__version__ = "0.1.0"
