"""The worker protocol (docs/reference/worker_protocol.md)."""
