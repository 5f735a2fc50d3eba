// This module has the API without a counterpart of Apple's: databases, typed references, aggregates, values. No SQL.
