// This module knows locks, executors, observation, errors and what Foundation lacks on Linux, and no model, schema or
// store.
