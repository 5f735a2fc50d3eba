#include "CSQLiteShim.h"

#include <sqlite3.h>
#include <string.h>

// The table-valued function `_osd_list(packed)`: one row per value of a list that is bound as one parameter.
//
// The packed form is a sequence of values: each is a byte with its storage class (SQLITE_INTEGER, SQLITE_FLOAT,
// SQLITE_TEXT, SQLITE_BLOB) and 8 bytes in the machine's byte order: the number itself, or the count of the bytes that
// follow. Nothing is converted, so every Int64, Double, text (even with NUL) and blob arrives exactly.

enum { VALUE_COLUMN = 0, LIST_COLUMN = 1, HEADER_SIZE = 9 };

typedef struct {
  sqlite3_vtab_cursor base;
  unsigned char *bytes;
  sqlite3_int64 size;
  sqlite3_int64 offset;
  sqlite3_int64 row;
} ListCursor;

static int listConnect(
    sqlite3 *connection, void *context, int count, const char *const *arguments, sqlite3_vtab **table,
    char **message) {
  (void)context, (void)count, (void)arguments, (void)message;
  int result = sqlite3_declare_vtab(connection, "CREATE TABLE list(value, list HIDDEN)");
  if (result != SQLITE_OK) return result;
  *table = sqlite3_malloc(sizeof(sqlite3_vtab));
  if (*table == 0) return SQLITE_NOMEM;
  memset(*table, 0, sizeof(sqlite3_vtab));
  return SQLITE_OK;
}

static int listDisconnect(sqlite3_vtab *table) {
  sqlite3_free(table);
  return SQLITE_OK;
}

static int listBestIndex(sqlite3_vtab *table, sqlite3_index_info *info) {
  (void)table;
  for (int index = 0; index < info->nConstraint; index++) {
    const struct sqlite3_index_constraint *constraint = &info->aConstraint[index];
    if (constraint->iColumn != LIST_COLUMN || constraint->op != SQLITE_INDEX_CONSTRAINT_EQ) continue;
    if (!constraint->usable) continue;
    info->aConstraintUsage[index].argvIndex = 1;
    info->aConstraintUsage[index].omit = 1;
    info->estimatedCost = 10;
    info->estimatedRows = 10;
    return SQLITE_OK;
  }
  return SQLITE_CONSTRAINT;
}

static int listOpen(sqlite3_vtab *table, sqlite3_vtab_cursor **result) {
  (void)table;
  ListCursor *cursor = sqlite3_malloc(sizeof(ListCursor));
  if (cursor == 0) return SQLITE_NOMEM;
  memset(cursor, 0, sizeof(ListCursor));
  *result = &cursor->base;
  return SQLITE_OK;
}

static int listClose(sqlite3_vtab_cursor *base) {
  sqlite3_free(((ListCursor *)base)->bytes);
  sqlite3_free(base);
  return SQLITE_OK;
}

static int isText(unsigned char storageClass) { return storageClass == SQLITE_TEXT || storageClass == SQLITE_BLOB; }

/// The size of the current value in bytes, or -1 if the list ends within it.
static sqlite3_int64 currentSize(const ListCursor *cursor) {
  sqlite3_int64 left = cursor->size - cursor->offset;
  if (left < HEADER_SIZE) return -1;
  const unsigned char *start = cursor->bytes + cursor->offset;
  if (!isText(start[0])) return HEADER_SIZE;
  sqlite3_int64 count;
  memcpy(&count, start + 1, sizeof count);
  return count < 0 || count > left - HEADER_SIZE ? -1 : HEADER_SIZE + count;
}

static int checkCurrent(const ListCursor *cursor) {
  return cursor->offset < cursor->size && currentSize(cursor) < 0 ? SQLITE_ERROR : SQLITE_OK;
}

static int listFilter(sqlite3_vtab_cursor *base, int plan, const char *name, int count, sqlite3_value **arguments) {
  (void)plan, (void)name;
  ListCursor *cursor = (ListCursor *)base;
  sqlite3_free(cursor->bytes);
  cursor->bytes = 0;
  cursor->size = cursor->offset = cursor->row = 0;
  if (count < 1 || sqlite3_value_type(arguments[0]) != SQLITE_BLOB) return SQLITE_OK;
  const void *bytes = sqlite3_value_blob(arguments[0]);
  int size = sqlite3_value_bytes(arguments[0]);
  if (size <= 0) return SQLITE_OK;
  // The argument is only valid during this call.
  cursor->bytes = sqlite3_malloc64((sqlite3_uint64)size);
  if (cursor->bytes == 0) return SQLITE_NOMEM;
  memcpy(cursor->bytes, bytes, (size_t)size);
  cursor->size = size;
  return checkCurrent(cursor);
}

static int listNext(sqlite3_vtab_cursor *base) {
  ListCursor *cursor = (ListCursor *)base;
  cursor->offset += currentSize(cursor);
  cursor->row += 1;
  return checkCurrent(cursor);
}

static int listEnd(sqlite3_vtab_cursor *base) {
  const ListCursor *cursor = (const ListCursor *)base;
  return cursor->offset >= cursor->size;
}

static int listColumn(sqlite3_vtab_cursor *base, sqlite3_context *context, int column) {
  if (column != VALUE_COLUMN) return SQLITE_OK;
  const ListCursor *cursor = (const ListCursor *)base;
  const unsigned char *start = cursor->bytes + cursor->offset;
  sqlite3_int64 number;
  double real;
  memcpy(&number, start + 1, sizeof number);
  memcpy(&real, start + 1, sizeof real);
  const char *bytes = (const char *)start + HEADER_SIZE;
  switch (start[0]) {
    case SQLITE_INTEGER: sqlite3_result_int64(context, number); break;
    case SQLITE_FLOAT: sqlite3_result_double(context, real); break;
    case SQLITE_TEXT:
      sqlite3_result_text64(context, bytes, (sqlite3_uint64)number, SQLITE_TRANSIENT, SQLITE_UTF8);
      break;
    case SQLITE_BLOB: sqlite3_result_blob64(context, bytes, (sqlite3_uint64)number, SQLITE_TRANSIENT); break;
    default: sqlite3_result_null(context); break;
  }
  return SQLITE_OK;
}

static int listRow(sqlite3_vtab_cursor *base, sqlite3_int64 *row) {
  *row = ((const ListCursor *)base)->row;
  return SQLITE_OK;
}

static const sqlite3_module listModule = {
  .iVersion = 0,
  .xConnect = listConnect,
  .xBestIndex = listBestIndex,
  .xDisconnect = listDisconnect,
  .xOpen = listOpen,
  .xClose = listClose,
  .xFilter = listFilter,
  .xNext = listNext,
  .xEof = listEnd,
  .xColumn = listColumn,
  .xRowid = listRow,
};

int32_t osd_sqlite_register_list(struct sqlite3 *connection) {
  return sqlite3_create_module(connection, "_osd_list", &listModule, 0);
}
