#include "CSQLiteShim.h"

#include <math.h>
#include <sqlite3.h>
#include <string.h>

// The function `_osd_calculate(operation, form, left, right)`: arithmetic with the semantics of Swift's types; NULL if
// a result overflows, where Swift would trap. The numbers are those of ArithmeticOperation and NumberForm.

enum { ADD, SUBTRACT, MULTIPLY, DIVIDE, REMAINDER };
enum { INT64 = 3, UINT8 = 4, UINT64 = 7, FLOAT = 8, DOUBLE = 9, DECIMAL = 10 };

/// An integer as it is stored: 64 bits with a sign, or 8 bytes in big-endian order.
static int getInteger(sqlite3_value *value, __int128 *number) {
  switch (sqlite3_value_type(value)) {
    case SQLITE_INTEGER:
      *number = sqlite3_value_int64(value);
      return 1;
    case SQLITE_BLOB: {
      const uint8_t *bytes = sqlite3_value_blob(value);
      if (sqlite3_value_bytes(value) != 8) return 0;
      uint64_t large = 0;
      for (int index = 0; index < 8; index++) large = large << 8 | bytes[index];
      *number = large;
      return 1;
    }
    default: return 0;
  }
}

static void setInteger(sqlite3_context *context, int form, __int128 number) {
  int isUnsigned = form >= UINT8;
  int bits = 8 << (isUnsigned ? form - UINT8 : form);
  __int128 least = isUnsigned ? 0 : -((__int128)1 << (bits - 1));
  __int128 greatest = ((__int128)1 << (isUnsigned ? bits : bits - 1)) - 1;
  if (number < least || number > greatest) return;
  if (number <= INT64_MAX) return sqlite3_result_int64(context, (sqlite3_int64)number);
  uint8_t bytes[8];
  for (int index = 0; index < 8; index++) bytes[index] = (uint8_t)(number >> (56 - 8 * index));
  sqlite3_result_blob(context, bytes, 8, SQLITE_TRANSIENT);
}

static void calculateIntegers(sqlite3_context *context, int operation, int form, sqlite3_value **arguments) {
  __int128 left, right, result;
  if (!getInteger(arguments[0], &left) || !getInteger(arguments[1], &right)) return;
  if ((operation == DIVIDE || operation == REMAINDER) && right == 0) return;
  switch (operation) {
    case ADD: result = left + right; break;
    case SUBTRACT: result = left - right; break;
    case MULTIPLY:
      if (__builtin_mul_overflow(left, right, &result)) return;
      break;
    case DIVIDE: result = left / right; break;
    default:
      // If the quotient overflows, Swift's remainder is undefined too.
      if (right == -1 && form <= INT64 && left == -((__int128)1 << ((8 << form) - 1))) return;
      result = left % right;
  }
  setInteger(context, form, result);
}

/// A real number as it is stored: not-a-number is text.
static double getReal(sqlite3_value *value) {
  return sqlite3_value_type(value) == SQLITE_TEXT ? NAN : sqlite3_value_double(value);
}

static void calculateReals(sqlite3_context *context, int operation, int form, sqlite3_value **arguments) {
  double left = getReal(arguments[0]), right = getReal(arguments[1]), result;
  switch (operation) {
    case ADD: result = left + right; break;
    case SUBTRACT: result = left - right; break;
    case MULTIPLY: result = left * right; break;
    default: result = left / right;
  }
  if (form == FLOAT) result = (float)result;
  if (isnan(result)) return sqlite3_result_text(context, "NaN", 3, SQLITE_STATIC);
  sqlite3_result_double(context, result);
}

static void calculateDecimals(
    sqlite3_context *context, int operation, osd_decimal_function decimal, sqlite3_value **arguments) {
  const uint8_t *left = sqlite3_value_text(arguments[0]), *right = sqlite3_value_text(arguments[1]);
  if (left == 0 || right == 0) return;
  uint8_t buffer[512];
  intptr_t count = decimal(
      operation, left, sqlite3_value_bytes(arguments[0]), right, sqlite3_value_bytes(arguments[1]), buffer,
      sizeof buffer);
  if (count >= 0) sqlite3_result_text(context, (const char *)buffer, (int)count, SQLITE_TRANSIENT);
}

static void calculate(sqlite3_context *context, int count, sqlite3_value **arguments) {
  (void)count;
  int operation = sqlite3_value_int(arguments[0]), form = sqlite3_value_int(arguments[1]);
  sqlite3_value **operands = arguments + 2;
  if (sqlite3_value_type(operands[0]) == SQLITE_NULL || sqlite3_value_type(operands[1]) == SQLITE_NULL) return;
  if (form < FLOAT) return calculateIntegers(context, operation, form, operands);
  if (form < DECIMAL) return calculateReals(context, operation, form, operands);
  osd_decimal_function decimal = (osd_decimal_function)sqlite3_user_data(context);
  calculateDecimals(context, operation, decimal, operands);
}

int32_t osd_sqlite_register_calculation(struct sqlite3 *connection, osd_decimal_function decimal) {
  const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
  return sqlite3_create_function_v2(connection, "_osd_calculate", 4, flags, (void *)decimal, calculate, 0, 0, 0);
}
