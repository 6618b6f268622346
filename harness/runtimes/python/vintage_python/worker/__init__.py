"""The worker protocol (docs/worker_protocol.md)."""
