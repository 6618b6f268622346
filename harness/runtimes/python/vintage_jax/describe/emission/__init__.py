"""Which custom-call targets a release writes into its programs, found by lowering."""
