"""`hearing demo` behind the command: the recording, what is heard of it, and how well."""
