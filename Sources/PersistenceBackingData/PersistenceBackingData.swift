// This module knows the values of models that no macro has expanded, by key path, and what such models are to a context; no store.
