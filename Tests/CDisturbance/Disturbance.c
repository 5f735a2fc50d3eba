#include "Disturbance.h"

#include <signal.h>
#include <stdatomic.h>

// One disturbance for the whole process: whichever thread makes the call that is meant, fails.
static atomic_int disturbed = -1;
static atomic_int before = 0;
static atomic_int lasting = 0;
static atomic_int failures = 0;
static atomic_int killing = 0;

int disturbance_strikes(int kind) {
  if (atomic_load(&disturbed) != kind) return 0;
  int left = atomic_fetch_sub(&before, 1);
  if (left > 0 || (left < 0 && !atomic_load(&lasting))) return 0;
  atomic_fetch_add(&failures, 1);
  if (atomic_load(&killing)) raise(SIGKILL);
  return 1;
}

void disturbance_begin(int kind, int calls, int persists) {
  atomic_store(&before, calls);
  atomic_store(&lasting, persists);
  atomic_store(&failures, 0);
  atomic_store(&disturbed, kind);
}

void disturbance_kill(int kind, int calls) {
  atomic_store(&killing, 1);
  disturbance_begin(kind, calls, 0);
}

int disturbance_end(void) {
  atomic_store(&disturbed, -1);
  return atomic_load(&failures);
}
