// This module knows what generated code calls and what an engine sees (models, their slots and identity, schemas, rows,
// requests), and no context, predicate or SQL.
