#define _GNU_SOURCE
#include "CSQLiteShim.h"

#include <sqlite3.h>
#include <string.h>

// Texts are searched and counted by characters, as in Swift. They are in stored form: normal form C, with U+0000 and
// U+0001 as escapes that begin with U+0001. In that form a text contains another, or starts with it, only if it
// contains its bytes, since nothing is composed across the end of a character. For nearly all texts, bytes show whether
// a character ends there; Swift decides the uncertain cases.

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

static int isContinuation(uint8_t byte) { return (byte & 0xC0) == 0x80; }

/// Whether a scalar never shares a character with another such scalar: ASCII except controls, U+0080 to U+02FF, most
/// Cyrillic letters, Kana, Hangul syllables and most Chinese characters.
///
/// Of the controls, a carriage return joins a following newline, and U+0001 joins the rest of its escape.
static int standsAlone(const uint8_t *scalar, intptr_t count) {
  uint8_t first = scalar[0], second = count > 1 ? scalar[1] : 0, third = count > 2 ? scalar[2] : 0;
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n';
  switch (first) {
    case 0xC2 ... 0xCB: case 0xD0: case 0xD1: case 0xE4 ... 0xE9: case 0xEB: case 0xEC: return 1;
    // Without the combining marks of voiced sounds, U+3099 and U+309A.
    case 0xE3: return second >= 0x81 && second <= 0x83 && !(second == 0x82 && (third == 0x99 || third == 0x9A));
    case 0xEA: return second >= 0xB0;
    case 0xED: return second < 0x9E;
    default: return 0;
  }
}

/// Whether an index is certainly at the end of a character, and of the text or before another character.
static int isSurelyBetweenCharacters(const uint8_t *text, intptr_t count, intptr_t index) {
  if (index == 0 || index == count) return 1;
  intptr_t previous = index - 1;
  while (previous > 0 && isContinuation(text[previous])) previous -= 1;
  return standsAlone(text + previous, index - previous) && standsAlone(text + index, count - index);
}

/// 1, 0, or -1 if the bytes do not decide.
static int quickContains(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount) {
  if (partCount == 0) return 1;
  const uint8_t *found = memmem(text, (size_t)textCount, part, (size_t)partCount);
  if (found == 0) return 0;
  intptr_t start = found - text;
  int isCertain = isSurelyBetweenCharacters(text, textCount, start) &&
                  isSurelyBetweenCharacters(text, textCount, start + partCount);
  return isCertain ? 1 : -1;
}

static int quickStarts(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount) {
  if (partCount > textCount || memcmp(text, part, (size_t)partCount) != 0) return 0;
  return isSurelyBetweenCharacters(text, textCount, partCount) ? 1 : -1;
}

/// Whether every byte is a character: ASCII without carriage returns and escapes.
static int isCountedByBytes(const uint8_t *text, intptr_t count) {
  return isASCII(text, count) && !memchr(text, '\r', (size_t)count) && !memchr(text, 1, (size_t)count);
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
  int isPlain = isCountedByBytes(text, textCount);
  sqlite3_result_int64(context, isPlain ? textCount : functions->count(text, textCount));
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
  };
  for (size_t index = 0; result == SQLITE_OK && index < sizeof entries / sizeof *entries; index++) {
    result = sqlite3_create_function_v2(
        connection, entries[index].name, entries[index].count, flags, context, entries[index].function, 0, 0, 0);
  }
  return result;
}
