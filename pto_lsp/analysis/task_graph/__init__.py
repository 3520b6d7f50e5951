"""The task graph: accesses, regions, edges with their reason, hazards, and the views of all that."""
