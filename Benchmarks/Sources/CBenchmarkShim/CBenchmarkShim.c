#include "CBenchmarkShim.h"
#include <sqlite3.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

int benchmark_turn_memory_statistics_off(void) {
  return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

void benchmark_return_freed_memory(void) {
#ifdef __GLIBC__
  // 128 KB is the initial value. Setting it keeps glibc from raising it when a large block is freed.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  malloc_trim(0);
#endif
}
