"""Every message of both sockets as a frozen tagged Struct.

`daemon` is what the daemon publishes, `control` what clients ask and the assistant answers, `common`
what both share. Decisions only: no I/O here. The contract in words is `docs/protocol.md`.
"""
