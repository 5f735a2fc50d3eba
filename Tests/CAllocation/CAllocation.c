#include "CAllocation.h"

#if defined(__GLIBC__) || defined(__linux__)
#include <malloc.h>
#endif

size_t osd_allocated_bytes(void) {
#if defined(__GLIBC__) && (__GLIBC__ > 2 || __GLIBC_MINOR__ >= 33)
  struct mallinfo2 information = mallinfo2();
  return information.uordblks + information.hblkhd;
#else
  return 0;
#endif
}
