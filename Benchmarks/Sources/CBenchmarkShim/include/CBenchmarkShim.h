#ifndef CBENCHMARKSHIM_H
#define CBENCHMARKSHIM_H

/// Turns SQLite's memory statistics off for this process; only before the first connection is it allowed.
/// Here and not in Swift because `sqlite3_config` is variadic, which Swift cannot call.
int benchmark_turn_memory_statistics_off(void);

#endif
