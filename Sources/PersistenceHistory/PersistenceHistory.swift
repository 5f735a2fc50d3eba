// This module knows the history of stores: records, the transactions and changes that they become, and requests for these; no
// context and no SQL.
