#include "_CSwiftRuntime.h"

bool osd_is_stored_form(const unsigned char *bytes, long count) {
  for (long index = 0; index < count; index++) {
    if (bytes[index] < 2 || bytes[index] >= 0x80) return false;
  }
  return true;
}
