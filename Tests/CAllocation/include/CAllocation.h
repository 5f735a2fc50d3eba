#ifndef C_ALLOCATION_H
#define C_ALLOCATION_H

#include <stddef.h>

/// How many bytes this process has allocated and not freed, as far as the C library knows; 0 where it does not say.
size_t osd_allocated_bytes(void);

#endif
