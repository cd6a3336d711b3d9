"""Sockets: claiming one, broadcasting on it, answering on it, and staying connected to it.

`listen` claims a path, `outbox` bounds what one client may owe us, `connection` is one accepted client,
`broadcast` numbers and fans out events, `publisher` and `server` are the two kinds of server, `client`
reconnects for ever.
"""
