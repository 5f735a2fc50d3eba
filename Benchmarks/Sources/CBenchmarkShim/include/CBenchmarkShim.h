#ifndef CBENCHMARKSHIM_H
#define CBENCHMARKSHIM_H

/// Turns SQLite's memory statistics off for this process; only before the first connection is it allowed.
/// Here and not in Swift because `sqlite3_config` is variadic, which Swift cannot call.
int benchmark_turn_memory_statistics_off(void);

/// Returns the memory that the program has freed to the operating system. From then on, blocks of more than 128 KB are
/// returned as soon as they are freed. Does nothing without glibc.
/// Here and not in Swift because Swift's module of glibc does not contain `malloc_trim`.
void benchmark_return_freed_memory(void);

#endif
