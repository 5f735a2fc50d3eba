#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <stdint.h>

// This module knows SQLite's interface in C.
//
// Functions that Swift cannot call in SQLite (variadic functions), or that are one C call shorter here.
//
// This header does not include SQLite's own, so that its declarations come from one module only.
struct sqlite3;
struct sqlite3_stmt;

/// Turns off SQLite's memory statistics, which cost a mutex per allocation. Does nothing if the program has already
/// initialised SQLite.
void osd_sqlite_configure(void);

/// Sets a switch of a connection (SQLITE_DBCONFIG_...) on or off.
int32_t osd_sqlite_set_switch(struct sqlite3 *connection, int32_t name, int32_t isOn);

/// Reads the first bytes of a connection's main file through the connection's own file handle.
///
/// Opening the file a second time is not possible: closing that handle would drop the process's locks on the file.
int32_t osd_sqlite_read_start(struct sqlite3 *connection, uint8_t *buffer, int32_t count);

/// Fields of the header of a database file.
struct osd_sqlite_header {
  uint8_t writeVersion, readVersion;
  uint32_t encoding, userVersion, application;
};

/// Reads the header of a connection's main file in the same way; returns 0 or SQLite's code.
int32_t osd_sqlite_read_header(struct sqlite3 *connection, struct osd_sqlite_header *header);

/// Reads the number of commits to a connection's write-ahead log, by all processes; returns 0 or SQLite's code.
///
/// The number is in the shared memory of the processes (the file `-shm`), in a format that SQLite documents. It
/// restarts only if that memory is recreated.
int32_t osd_sqlite_read_commit_count(struct sqlite3 *connection, uint32_t *count);

/// Flushes the log of a connection to the disk, and with it every commit that the connection has made or seen.
int32_t osd_sqlite_sync_log(struct sqlite3 *connection);

/// Bind text or bytes that stay valid until the statement has been stepped. A null pointer means no bytes.
int32_t osd_sqlite_bind_text(struct sqlite3_stmt *statement, int32_t index, const uint8_t *bytes, intptr_t count);
int32_t osd_sqlite_bind_blob(struct sqlite3_stmt *statement, int32_t index, const void *bytes, intptr_t count);

/// Bind text or bytes that SQLite copies.
int32_t osd_sqlite_bind_text_copy(struct sqlite3_stmt *statement, int32_t index, const uint8_t *bytes, intptr_t count);
int32_t osd_sqlite_bind_blob_copy(struct sqlite3_stmt *statement, int32_t index, const void *bytes, intptr_t count);

/// Runs a statement that returns no rows, and resets it; returns 0 or SQLite's code.
int32_t osd_sqlite_step_write(struct sqlite3_stmt *statement);

/// The same; returns -1 if the statement changed no row.
int32_t osd_sqlite_step_update(struct sqlite3_stmt *statement);

/// Runs a statement that returns one row, and stays on that row; returns 0 or SQLite's code.
int32_t osd_sqlite_step_upsert(struct sqlite3_stmt *statement);

/// Registers the table-valued function `_osd_list`, whose rows are the values packed in its one argument.
int32_t osd_sqlite_register_list(struct sqlite3 *connection);

/// Swift's functions for texts that bytes do not decide. Texts are in stored form, and not terminated.
typedef struct {
  int32_t (*contains)(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount);
  int32_t (*starts)(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount);
  intptr_t (*count)(const uint8_t *text, intptr_t textCount);
  int32_t (*containsLocalized)(const uint8_t *text, intptr_t textCount, const uint8_t *part, intptr_t partCount);
  /// Whether the current language folds the case of ASCII letters as usual.
  int32_t foldsASCII;
} osd_text_functions;

/// Registers the text functions, which call Swift for uncertain cases.
///
/// The structure must stay at its address as long as the connection is open.
int32_t osd_sqlite_register_text_functions(struct sqlite3 *connection, const osd_text_functions *functions);

/// Computes with two decimals: writes the result to the buffer and returns its length, or -1 if there is no result.
typedef intptr_t (*osd_decimal_function)(
    int32_t operation, const uint8_t *left, intptr_t leftCount, const uint8_t *right, intptr_t rightCount,
    uint8_t *buffer, intptr_t capacity);

/// Registers the function `_osd_calculate(operation, form, left, right)`.
int32_t osd_sqlite_register_calculation(struct sqlite3 *connection, osd_decimal_function decimal);

/// Registers the aggregate functions `sum_of_integers`, exact and with a text result if it exceeds 64 bits, and
/// `sum_of_reals`, which handles not-a-number and loses little precision if magnitudes differ.
int32_t osd_sqlite_register_sums(struct sqlite3 *connection);

#endif
