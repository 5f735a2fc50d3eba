#include <math.h>
#include <stdint.h>
#include <string.h>

#include <sqlite3.h>

#include "CSQLiteShim.h"

// SQLite's own sum() fails if a partial sum exceeds 64 bits, counts not-a-number, which is stored as text, as 0, and
// does not decode large unsigned integers, which are stored as 8 bytes.

typedef struct {
  __int128 sum;
  int64_t count;
} IntegerSum;

/// The number in 8 bytes, in big-endian order.
static uint64_t unsigned_from_bytes(const uint8_t *bytes) {
  uint64_t value = 0;
  for (int index = 0; index < 8; index++) value = value << 8 | bytes[index];
  return value;
}

static void add_integer(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  int type = sqlite3_value_type(values[0]);
  if (type == SQLITE_NULL) return;
  IntegerSum *state = sqlite3_aggregate_context(context, sizeof(IntegerSum));
  if (state == 0) return sqlite3_result_error_nomem(context);
  state->count += 1;
  if (type == SQLITE_BLOB && sqlite3_value_bytes(values[0]) == 8) {
    state->sum += unsigned_from_bytes(sqlite3_value_blob(values[0]));
  } else {
    state->sum += sqlite3_value_int64(values[0]);
  }
}

static void finish_integer(sqlite3_context *context) {
  IntegerSum *state = sqlite3_aggregate_context(context, 0);
  if (state == 0 || state->count == 0) return sqlite3_result_null(context);
  if (state->sum >= INT64_MIN && state->sum <= INT64_MAX) return sqlite3_result_int64(context, (int64_t)state->sum);
  char digits[48];
  int place = sizeof(digits);
  int isNegative = state->sum < 0;
  unsigned __int128 rest = isNegative ? -(unsigned __int128)state->sum : (unsigned __int128)state->sum;
  while (rest > 0) {
    digits[--place] = (char)('0' + (int)(rest % 10));
    rest /= 10;
  }
  if (isNegative) digits[--place] = '-';
  sqlite3_result_text(context, digits + place, (int)sizeof(digits) - place, SQLITE_TRANSIENT);
}

typedef struct {
  double sum;
  /// The rounding error of adding numbers of different magnitude (Neumaier).
  double remainder;
  int64_t count;
} RealSum;

static void add_real(sqlite3_context *context, int count, sqlite3_value **values) {
  (void)count;
  int type = sqlite3_value_type(values[0]);
  if (type == SQLITE_NULL) return;
  RealSum *state = sqlite3_aggregate_context(context, sizeof(RealSum));
  if (state == 0) return sqlite3_result_error_nomem(context);
  state->count += 1;
  double value = type == SQLITE_TEXT ? NAN : sqlite3_value_double(values[0]);
  double sum = state->sum + value;
  if (isfinite(sum)) {
    state->remainder += fabs(state->sum) >= fabs(value) ? (state->sum - sum) + value : (value - sum) + state->sum;
  }
  state->sum = sum;
}

static void finish_real(sqlite3_context *context) {
  RealSum *state = sqlite3_aggregate_context(context, 0);
  if (state == 0 || state->count == 0) return sqlite3_result_null(context);
  // SQLite would turn a not-a-number result into NULL.
  if (isnan(state->sum)) return sqlite3_result_text(context, "NaN", 3, SQLITE_STATIC);
  sqlite3_result_double(context, isfinite(state->sum) ? state->sum + state->remainder : state->sum);
}

int32_t osd_sqlite_register_sums(struct sqlite3 *connection) {
  int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC;
  int result = sqlite3_create_function_v2(
      connection, "sum_of_integers", 1, flags, 0, 0, add_integer, finish_integer, 0);
  if (result != SQLITE_OK) return result;
  return sqlite3_create_function_v2(connection, "sum_of_reals", 1, flags, 0, 0, add_real, finish_real, 0);
}
