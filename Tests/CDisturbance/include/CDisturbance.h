#ifndef C_DISTURBANCE_H
#define C_DISTURBANCE_H

#include <stdint.h>

/// The calls that can be made to fail: those of SQLite to its file system, and the system's own for external files.
enum {
  disturbance_open,
  disturbance_read,
  disturbance_write,
  disturbance_full,
  disturbance_sync,
  disturbance_truncate,
  disturbance_lock,
  disturbance_size,
  disturbance_access,
  disturbance_delete,
  disturbance_map,
  disturbance_memory_lock,
  disturbance_external_open,
  disturbance_external_read,
  disturbance_external_write,
  disturbance_external_sync,
  disturbance_external_folder,
  disturbance_kinds
};

/// Makes the file system that fails the one that SQLite uses. Call it before anything opens a store.
/// Returns SQLite's code.
int disturbance_install(void);

/// Fails the call of a kind that comes after `calls` others, and only that one, or all from then on.
void disturbance_begin(int kind, int calls, int persists);

/// Ends the process at the call of a kind that comes after `calls` others, before it is made.
void disturbance_kill(int kind, int calls);

/// Lets everything succeed again. Returns how many calls failed.
int disturbance_end(void);

#endif
