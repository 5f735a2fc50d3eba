// This module knows locks, executors, observation, errors, sets of numbers, exact sums and what Foundation lacks on
// Linux, and no model, schema or store.
