// This module knows what Apple's API has no name for: databases, typed references, aggregates and values of models; no
// SQL.
