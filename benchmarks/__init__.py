"""What `make bench` runs: each benchmark measures us and a peer in the same run."""
