#include "CSQLiteShim.h"

#include <sqlite3.h>

void osd_sqlite_configure(void) {
  // SQLITE_MISUSE means that SQLite is already initialised; statistics then stay on, which is only slower.
  sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

int32_t osd_sqlite_set_switch(struct sqlite3 *connection, int32_t name, int32_t isOn) {
  return sqlite3_db_config(connection, name, isOn, (int *)0);
}

int32_t osd_sqlite_read_start(struct sqlite3 *connection, uint8_t *buffer, int32_t count) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  if (file == 0 || file->pMethods == 0) return SQLITE_CANTOPEN;
  return file->pMethods->xRead(file, buffer, count, 0);
}

static uint32_t number_at(const uint8_t *bytes) {
  return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

int32_t osd_sqlite_read_header(struct sqlite3 *connection, struct osd_sqlite_header *header) {
  uint8_t bytes[100];
  int32_t result = osd_sqlite_read_start(connection, bytes, sizeof bytes);
  if (result != SQLITE_OK) return result;
  header->writeVersion = bytes[18];
  header->readVersion = bytes[19];
  header->encoding = number_at(bytes + 56);
  header->userVersion = number_at(bytes + 60);
  header->application = number_at(bytes + 68);
  return SQLITE_OK;
}

int32_t osd_sqlite_read_commit_count(struct sqlite3 *connection, uint32_t *count) {
  sqlite3_file *log = 0, *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
  if (result == SQLITE_OK) result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (result != SQLITE_OK) return result;
  // Without an open log there may be no shared memory, and requesting it would create it.
  if (log == 0 || log->pMethods == 0 || file == 0 || file->pMethods == 0) return SQLITE_CANTOPEN;
  if (file->pMethods->iVersion < 2 || file->pMethods->xShmMap == 0) return SQLITE_CANTOPEN;
  // SQLite has mapped these 32 KB itself, and keeps them mapped as long as the log is open.
  void volatile *region = 0;
  result = file->pMethods->xShmMap(file, 0, 32 << 10, 0, &region);
  if (result != SQLITE_OK) return result;
  if (region == 0) return SQLITE_CANTOPEN;
  // The header is stored twice, and a writer writes the second copy first.
  const uint32_t volatile *head = region;
  for (int attempt = 0; attempt < 100; attempt++) {
    uint32_t first[12], second[12];
    for (int i = 0; i < 12; i++) first[i] = head[i];
    file->pMethods->xShmBarrier(file);
    for (int i = 0; i < 12; i++) second[i] = head[12 + i];
    int isSame = 1;
    for (int i = 0; i < 12; i++) isSame &= first[i] == second[i];
    if (!isSame) continue;
    // The version of the format; the transaction counter follows after four unused bytes.
    if (first[0] != 3007000) return SQLITE_CANTOPEN;
    *count = first[2];
    return SQLITE_OK;
  }
  return SQLITE_BUSY;
}

int32_t osd_sqlite_sync_log(struct sqlite3 *connection) {
  sqlite3_file *file = 0;
  int result = sqlite3_file_control(connection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file);
  if (result != SQLITE_OK) return result;
  if (file == 0 || file->pMethods == 0) return SQLITE_OK;
  return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

int32_t osd_sqlite_bind_text(struct sqlite3_stmt *statement, int32_t index, const uint8_t *bytes, intptr_t count) {
  const char *text = bytes ? (const char *)bytes : "";
  return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)count, SQLITE_STATIC, SQLITE_UTF8);
}

int32_t osd_sqlite_bind_blob(struct sqlite3_stmt *statement, int32_t index, const void *bytes, intptr_t count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", (sqlite3_uint64)count, SQLITE_STATIC);
}

int32_t osd_sqlite_bind_text_copy(
    struct sqlite3_stmt *statement, int32_t index, const uint8_t *bytes, intptr_t count) {
  const char *text = bytes ? (const char *)bytes : "";
  return sqlite3_bind_text64(statement, index, text, (sqlite3_uint64)count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

int32_t osd_sqlite_bind_blob_copy(struct sqlite3_stmt *statement, int32_t index, const void *bytes, intptr_t count) {
  return sqlite3_bind_blob64(statement, index, bytes ? bytes : "", (sqlite3_uint64)count, SQLITE_TRANSIENT);
}

int32_t osd_sqlite_step_write(struct sqlite3_stmt *statement) {
  sqlite3_step(statement);
  return sqlite3_reset(statement);
}

int32_t osd_sqlite_step_update(struct sqlite3_stmt *statement) {
  sqlite3_step(statement);
  int result = sqlite3_reset(statement);
  if (result != SQLITE_OK) return result;
  return sqlite3_changes(sqlite3_db_handle(statement)) == 0 ? -1 : SQLITE_OK;
}

int32_t osd_sqlite_step_upsert(struct sqlite3_stmt *statement) {
  int result = sqlite3_step(statement);
  return result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
}
