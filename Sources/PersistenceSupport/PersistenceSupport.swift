// This module knows locks, executors, observation, errors, exact sums and what Foundation lacks on Linux, and no model,
// schema or store.
