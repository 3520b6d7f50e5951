"""The boundary of Graph regions: what replay may freeze, what has to be hoisted, what has to be refused."""
