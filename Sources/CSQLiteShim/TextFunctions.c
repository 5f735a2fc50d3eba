#define _GNU_SOURCE
#include "CSQLiteShim.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// Texts are compared, searched and counted as Swift does, by characters that are equal when they are canonically
// equivalent. For nearly all texts bytes tell: what is not certain here is asked in Swift.

static int isASCII(const uint8_t *text, intptr_t count) {
  intptr_t index = 0;
  for (; index + 8 <= count; index += 8) {
    uint64_t word;
    memcpy(&word, text + index, sizeof word);
    if (word & 0x8080808080808080ULL) return 0;
  }
  for (; index < count; index++) {
    if (text[index] & 0x80) return 0;
  }
  return 1;
}

/// Whether the scalar that a byte begins is its own normal form and stays apart from the one before it: below U+0300,
/// Cyrillic without its marks, or U+4000 to U+9FFF.
static int isStable(uint8_t byte) {
  return byte < 0x80 || (byte >= 0xC2 && byte < 0xCC) || byte == 0xD0 || byte == 0xD1 || (byte >= 0xE4 && byte <= 0xE9);
}

static int isContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// The place behind the scalar at a place.
static intptr_t next(const uint8_t *text, intptr_t count, intptr_t index) {
  do index += 1;
  while (index < count && isContinuation(text[index]));
  return index;
}

/// Whether a text has stable scalars, or its end, at a place and behind it: then nothing there is composed.
static int isStableAt(const uint8_t *text, intptr_t count, intptr_t index) {
  if (index >= count) return 1;
  if (!isStable(text[index])) return 0;
  intptr_t after = next(text, count, index);
  return after >= count || isStable(text[after]);
}

/// Whether every scalar of a text is its own normal form, and none is composed with another.
static int isStableThroughout(const uint8_t *text, intptr_t count) {
  for (intptr_t index = 0; index < count; index = next(text, count, index)) {
    if (!isStable(text[index])) return 0;
  }
  return 1;
}

/// The place of the first byte that differs, or the end of the shorter text.
static intptr_t difference(const uint8_t *left, const uint8_t *right, intptr_t common) {
  intptr_t index = 0;
  for (; index + 8 <= common; index += 8) {
    uint64_t one, other;
    memcpy(&one, left + index, sizeof one);
    memcpy(&other, right + index, sizeof other);
    if (one == other) continue;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return index + __builtin_ctzll(one ^ other) / 8;
#else
    break;
#endif
  }
  while (index < common && left[index] == right[index]) index += 1;
  return index;
}

int32_t osd_text_compare(
    const osd_text_functions *functions, const uint8_t *left, intptr_t leftCount, const uint8_t *right,
    intptr_t rightCount) {
  intptr_t common = leftCount < rightCount ? leftCount : rightCount;
  intptr_t first = difference(left, right, common);
  if (first == leftCount && first == rightCount) return 0;
  // Nearly always: both differ in ASCII with more of it behind, which nothing can be composed with.
  if (first + 1 < common && (left[first] | right[first] | left[first + 1] | right[first + 1]) < 0x80)
    return left[first] < right[first] ? -1 : 1;
  // Back to the start of the first scalar that differs.
  intptr_t index = first;
  while (index > 0 &&
         ((index < leftCount && isContinuation(left[index])) || (index < rightCount && isContinuation(right[index]))))
    index -= 1;
  if (!isStableAt(left, leftCount, index) || !isStableAt(right, rightCount, index))
    return functions->compare(left, leftCount, right, rightCount);
  if (first == common) return leftCount < rightCount ? -1 : 1;
  return left[first] < right[first] ? -1 : 1;
}

static int collate(void *context, int leftCount, const void *left, int rightCount, const void *right) {
  return osd_text_compare(context, left, leftCount, right, rightCount);
}

// Scalars beyond ASCII that are canonically equivalent to one in ASCII: U+037E, U+1FEF and U+212A.
static int mayEqualASCII(const uint8_t *text, intptr_t count) {
  return memmem(text, (size_t)count, "\xCD\xBE", 2) || memmem(text, (size_t)count, "\xE1\xBF\xAF", 3) ||
         memmem(text, (size_t)count, "\xE2\x84\xAA", 3);
}

/// Whether the ASCII text has a character that others are equivalent to.
static int hasEquivalents(const uint8_t *text, intptr_t count) {
  return memchr(text, 'K', (size_t)count) || memchr(text, ';', (size_t)count) || memchr(text, '`', (size_t)count);
}

static int hasReturn(const uint8_t *text, intptr_t count) { return memchr(text, '\r', (size_t)count) != 0; }

/// 1, 0, or -1 for what bytes do not tell.
static int quickContains(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount) {
  if (partCount == 0) return 1;
  if (hasReturn(part, partCount) || hasReturn(text, textCount)) return -1;
  int textIsASCII = isASCII(text, textCount);
  if (!isASCII(part, partCount)) return textIsASCII && !mayEqualASCII(part, partCount) ? 0 : -1;
  const uint8_t *found = memmem(text, (size_t)textCount, part, (size_t)partCount);
  if (textIsASCII) return found != 0;
  if (found == 0) return hasEquivalents(part, partCount) ? -1 : 0;
  int startsCharacter = found == text || found[-1] < 0x80;
  const uint8_t *end = found + partCount;
  return startsCharacter && (end == text + textCount || *end < 0x80) ? 1 : -1;
}

static int quickStarts(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount) {
  if (partCount == 0) return 1;
  if (hasReturn(part, partCount) || hasReturn(text, textCount)) return -1;
  int isSame = partCount <= textCount && memcmp(text, part, (size_t)partCount) == 0;
  if (isSame) return partCount == textCount || text[partCount] < 0x80 ? 1 : -1;
  return isASCII(part, partCount) && isASCII(text, textCount) ? 0 : -1;
}

static uint8_t folded(uint8_t byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; }

static int quickContainsLocalized(
    const osd_text_functions *functions, const uint8_t *text, intptr_t textCount, const uint8_t *part,
    intptr_t partCount) {
  if (partCount == 0) return -1;
  if (!functions->foldsASCII || !isASCII(text, textCount) || !isASCII(part, partCount)) return -1;
  for (intptr_t index = 0; index < textCount; index++) {
    if (text[index] < 0x20 || text[index] == 0x7F) return -1;
  }
  for (intptr_t index = 0; index < partCount; index++) {
    if (part[index] < 0x20 || part[index] == 0x7F) return -1;
  }
  uint8_t first = folded(part[0]);
  for (intptr_t start = 0; start + partCount <= textCount; start++) {
    if (folded(text[start]) != first) continue;
    intptr_t index = 1;
    while (index < partCount && folded(text[start + index]) == folded(part[index])) index += 1;
    if (index == partCount) return 1;
  }
  return 0;
}

// MARK: Functions

static int getText(sqlite3_value *value, const uint8_t **text, intptr_t *count) {
  if (sqlite3_value_type(value) == SQLITE_NULL) return 0;
  *text = sqlite3_value_text(value);
  *count = sqlite3_value_bytes(value);
  return *text != 0;
}

typedef enum { CONTAINS, STARTS, CONTAINS_LOCALIZED } Search;

static void search(sqlite3_context *context, sqlite3_value **arguments, Search kind) {
  const osd_text_functions *functions = sqlite3_user_data(context);
  const uint8_t *text, *part;
  intptr_t textCount, partCount;
  if (!getText(arguments[0], &text, &textCount) || !getText(arguments[1], &part, &partCount)) return;
  int result;
  switch (kind) {
    case CONTAINS:
      result = quickContains(text, textCount, part, partCount);
      if (result < 0) result = functions->contains(text, textCount, part, partCount);
      break;
    case STARTS:
      result = quickStarts(text, textCount, part, partCount);
      if (result < 0) result = functions->starts(text, textCount, part, partCount);
      break;
    case CONTAINS_LOCALIZED:
      result = quickContainsLocalized(functions, text, textCount, part, partCount);
      if (result < 0) result = functions->containsLocalized(text, textCount, part, partCount);
      break;
  }
  sqlite3_result_int(context, result);
}

static void contains(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  search(context, arguments, CONTAINS);
}

static void starts(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  search(context, arguments, STARTS);
}

static void containsLocalized(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  search(context, arguments, CONTAINS_LOCALIZED);
}

static void characterCount(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  const osd_text_functions *functions = sqlite3_user_data(context);
  const uint8_t *text;
  intptr_t textCount;
  if (!getText(arguments[0], &text, &textCount)) return;
  int isPlain = isASCII(text, textCount) && !hasReturn(text, textCount);
  sqlite3_result_int64(context, isPlain ? textCount : functions->count(text, textCount));
}

/// A text whose bytes come in the order of the collation: itself, or its normal form. SQLite sorts bytes a few times faster
/// than it calls a collation, which it does for every comparison; this is called once for every row.
static void orderedBytes(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  const osd_text_functions *functions = sqlite3_user_data(context);
  const uint8_t *text;
  intptr_t textCount;
  if (!getText(arguments[0], &text, &textCount)) return;
  if (isASCII(text, textCount) || isStableThroughout(text, textCount)) {
    return sqlite3_result_text64(context, (const char *)text, (sqlite3_uint64)textCount, SQLITE_TRANSIENT, SQLITE_UTF8);
  }
  intptr_t formCount;
  uint8_t *form = functions->normalForm(text, textCount, &formCount);
  if (form == 0) return sqlite3_result_error_nomem(context);
  sqlite3_result_text64(context, (const char *)form, (sqlite3_uint64)formCount, free, SQLITE_UTF8);
}

int32_t osd_sqlite_register_text_collation(
    struct sqlite3 *connection, const char *collation, const osd_text_functions *functions) {
  return sqlite3_create_collation_v2(connection, collation, SQLITE_UTF8, (void *)functions, collate, 0);
}

int32_t osd_sqlite_register_text_functions(struct sqlite3 *connection, const osd_text_functions *functions) {
  void *context = (void *)functions;
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  int result = SQLITE_OK;
  struct {
    const char *name;
    int count;
    void (*function)(sqlite3_context *, int, sqlite3_value **);
  } entries[] = {
    { "_osd_contains", 2, contains },
    { "_osd_starts", 2, starts },
    { "_osd_contains_localized", 2, containsLocalized },
    { "_osd_count", 1, characterCount },
    { "_osd_ordered", 1, orderedBytes },
  };
  for (size_t index = 0; result == SQLITE_OK && index < sizeof entries / sizeof *entries; index++) {
    result = sqlite3_create_function_v2(
        connection, entries[index].name, entries[index].count, flags, context, entries[index].function, 0, 0, 0);
  }
  return result;
}
