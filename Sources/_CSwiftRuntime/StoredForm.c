#include "_CSwiftRuntime.h"

#include <string.h>

// The quick check for normal form C (Unicode Standard Annex 15), from a table of the scalars that pass it: those that
// are assigned, decompose to nothing and compose with nothing before them. Marks that follow each other must have the
// order of their combining classes.
//
// The table may be of another version of Unicode than the library. A scalar that the table does not know is not sure.
// One that the library does not know stays as it is there. Of the others both say the same, because Unicode keeps the
// normal form of texts whose scalars are assigned.

// 64 scalars, which a last byte of UTF-8 tells apart: a bit for each that is in form C, of class 0 or a mark.
struct form_page {
  uint64_t plain, marks;
};

#include "StoredFormTable.h"

static const uint64_t each_byte = 0x0101010101010101;

// The index of the first byte from an index on that is neither ASCII nor U+0000 or U+0001, or the count.
static inline long end_of_ascii(const unsigned char *bytes, long index, long count) {
  for (; count - index >= 8; index += 8) {
    uint64_t word;
    memcpy(&word, bytes + index, 8);
    // A byte below 2 gives a borrow, which sets its highest bit; only bytes behind it may get one, too.
    uint64_t found = ((word - each_byte * 2) | word) & each_byte * 0x80;
    if (!found) continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return index + __builtin_ctzll(found) / 8;
#else
    break;
#endif
  }
  if (index < count && count >= 8) {
    // The last eight bytes at once, of which some were looked at before.
    uint64_t word;
    memcpy(&word, bytes + count - 8, 8);
    if (!(((word - each_byte * 2) | word) & each_byte * 0x80)) return count;
  }
  while (index < count && (unsigned char)(bytes[index] - 2) < 0x7E) index++;
  return index;
}

static inline bool continues(unsigned char byte) { return (byte & 0xC0) == 0x80; }

// The page of a scalar that begins at a byte, and the length of its UTF-8; null where there is none. Overlong forms and
// surrogates have pages without a bit.
static inline const struct form_page *page_at(const unsigned char *scalar, long available, long *length) {
  unsigned char first = scalar[0];
  if (first >= 0xE0 && first < 0xF0) {
    if (available < 3 || !continues(scalar[1]) || !continues(scalar[2])) return NULL;
    *length = 3;
    return three_byte_pages + three_bytes[(first & 0xF) << 6 | (scalar[1] & 0x3F)];
  }
  if (first >= 0xC0 && first < 0xE0) {
    if (available < 2 || !continues(scalar[1])) return NULL;
    *length = 2;
    return two_bytes + (first & 0x1F);
  }
  if (first < 0xF0 || first > 0xF4 || available < 4) return NULL;
  if (!continues(scalar[1]) || !continues(scalar[2]) || !continues(scalar[3])) return NULL;
  unsigned block = (unsigned)((first & 7) << 6 | (scalar[1] & 0x3F)) - 0x10;
  if (block >= sizeof four_bytes) return NULL;
  *length = 4;
  return four_byte_pages + four_byte_blocks[four_bytes[block] << 6 | (scalar[2] & 0x3F)];
}

// The index behind scalars of two or three bytes and of class 0, which are most of those that are not ASCII.
static inline long end_of_common_scalars(const unsigned char *bytes, long index, long count) {
  while (count - index >= 3) {
    unsigned first = bytes[index], second = bytes[index + 1], third = bytes[index + 2];
    if (((first << 16 | second << 8 | third) & 0xF0C0C0) == 0xE08080) {
      unsigned page = three_bytes[(first & 0xF) << 6 | (second & 0x3F)];
      if (!(three_byte_pages[page].plain >> (third & 0x3F) & 1)) break;
      index += 3;
    } else if (((first << 8 | second) & 0xE0C0) == 0xC080) {
      if (!(two_bytes[first & 0x1F].plain >> (second & 0x3F) & 1)) break;
      index += 2;
    } else {
      break;
    }
  }
  return index;
}

// The scalar whose UTF-8 has two to four bytes, which are known to be right.
static uint32_t scalar_at(const unsigned char *bytes, long length) {
  uint32_t scalar = bytes[0] & (0x7F >> length);
  for (long index = 1; index < length; index++) scalar = scalar << 6 | (bytes[index] & 0x3F);
  return scalar;
}

static unsigned combining_class(uint32_t mark) {
  long low = 0, high = sizeof mark_classes / sizeof *mark_classes;
  while (high - low > 1) {
    long middle = (low + high) / 2;
    if (mark_classes[middle] >> 8 > mark) high = middle;
    else low = middle;
  }
  return mark_classes[low] & 0xFF;
}

// The index behind scalars that are not ASCII and surely in form C; -1 if one is not. They begin a text, or stand behind
// ASCII.
static long end_of_sure_scalars(const unsigned char *bytes, long index, long count) {
  // The mark before the index; 0 if there is none.
  uint32_t former = 0;
  while (index < count && bytes[index] >= 0x80) {
    long end = end_of_common_scalars(bytes, index, count);
    if (end > index) {
      index = end;
      former = 0;
      continue;
    }
    long length;
    const struct form_page *page = page_at(bytes + index, count - index, &length);
    if (!page) return -1;
    uint64_t bit = (uint64_t)1 << (bytes[index + length - 1] & 0x3F);
    if (page->plain & bit) {
      former = 0;
    } else {
      if (!(page->marks & bit)) return -1;
      uint32_t mark = scalar_at(bytes + index, length);
      if (former && combining_class(former) > combining_class(mark)) return -1;
      former = mark;
    }
    index += length;
  }
  return index;
}

bool osd_is_stored_form(const unsigned char *bytes, long count) {
  long index = 0;
  while ((index = end_of_ascii(bytes, index, count)) < count) {
    if (bytes[index] < 0x80) return false;
    index = end_of_sure_scalars(bytes, index, count);
    if (index < 0) return false;
  }
  return true;
}

const uint32_t *osd_version_witnesses(long *count) {
  *count = sizeof version_witnesses / sizeof *version_witnesses;
  return version_witnesses;
}

int32_t osd_form_table_version(void) { return FORM_TABLE_MAJOR << 8 | FORM_TABLE_MINOR; }
