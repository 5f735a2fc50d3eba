// This module knows predicates, orders and aggregates, which it translates to query trees or evaluates in memory, and
// no context.
