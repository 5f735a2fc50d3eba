#include "Disturbance.h"

#include <sqlite3.h>
#include <stddef.h>

// A file system of SQLite's that passes everything on to the system's, but for the calls that are to fail.

typedef struct {
  sqlite3_file base;
  // The system's own file follows, in the rest of the memory that SQLite gives.
} DisturbedFile;

static sqlite3_vfs *original = 0;
static sqlite3_vfs disturbed;

static sqlite3_file *inner(sqlite3_file *file) {
  size_t size = (sizeof(DisturbedFile) + 15) & ~(size_t)15;
  return (sqlite3_file *)((char *)file + size);
}

static int close_file(sqlite3_file *file) { return inner(file)->pMethods->xClose(inner(file)); }

static int read_file(sqlite3_file *file, void *buffer, int count, sqlite3_int64 offset) {
  if (disturbance_strikes(disturbance_read)) return SQLITE_IOERR_READ;
  return inner(file)->pMethods->xRead(inner(file), buffer, count, offset);
}

static int write_file(sqlite3_file *file, const void *buffer, int count, sqlite3_int64 offset) {
  if (disturbance_strikes(disturbance_full)) return SQLITE_FULL;
  if (disturbance_strikes(disturbance_write)) {
    // As a disk does that fails in the middle: a part of it is there.
    if (count > 1) inner(file)->pMethods->xWrite(inner(file), buffer, count / 2, offset);
    return SQLITE_IOERR_WRITE;
  }
  return inner(file)->pMethods->xWrite(inner(file), buffer, count, offset);
}

static int truncate_file(sqlite3_file *file, sqlite3_int64 size) {
  if (disturbance_strikes(disturbance_truncate)) return SQLITE_IOERR_TRUNCATE;
  return inner(file)->pMethods->xTruncate(inner(file), size);
}

static int sync_file(sqlite3_file *file, int flags) {
  if (disturbance_strikes(disturbance_sync)) return SQLITE_IOERR_FSYNC;
  return inner(file)->pMethods->xSync(inner(file), flags);
}

static int size_of_file(sqlite3_file *file, sqlite3_int64 *size) {
  if (disturbance_strikes(disturbance_size)) return SQLITE_IOERR_FSTAT;
  return inner(file)->pMethods->xFileSize(inner(file), size);
}

static int lock_file(sqlite3_file *file, int lock) {
  if (disturbance_strikes(disturbance_lock)) return SQLITE_IOERR_LOCK;
  return inner(file)->pMethods->xLock(inner(file), lock);
}

static int unlock_file(sqlite3_file *file, int lock) { return inner(file)->pMethods->xUnlock(inner(file), lock); }

static int check_reserved(sqlite3_file *file, int *result) {
  return inner(file)->pMethods->xCheckReservedLock(inner(file), result);
}

static int control(sqlite3_file *file, int operation, void *argument) {
  return inner(file)->pMethods->xFileControl(inner(file), operation, argument);
}

static int sector_size(sqlite3_file *file) { return inner(file)->pMethods->xSectorSize(inner(file)); }

static int characteristics(sqlite3_file *file) {
  return inner(file)->pMethods->xDeviceCharacteristics(inner(file));
}

static int map_memory(sqlite3_file *file, int page, int size, int extend, void volatile **address) {
  if (disturbance_strikes(disturbance_map)) {
    *address = 0;
    return SQLITE_IOERR_SHMMAP;
  }
  return inner(file)->pMethods->xShmMap(inner(file), page, size, extend, address);
}

static int lock_memory(sqlite3_file *file, int offset, int count, int flags) {
  // What is held is always given back: a lock that stays would be another failure than the one that is meant.
  if (flags & SQLITE_SHM_LOCK && disturbance_strikes(disturbance_memory_lock)) return SQLITE_IOERR_SHMLOCK;
  return inner(file)->pMethods->xShmLock(inner(file), offset, count, flags);
}

static void memory_barrier(sqlite3_file *file) { inner(file)->pMethods->xShmBarrier(inner(file)); }

static int unmap_memory(sqlite3_file *file, int deletes) {
  return inner(file)->pMethods->xShmUnmap(inner(file), deletes);
}

static const sqlite3_io_methods methods = {
  2,
  close_file, read_file, write_file, truncate_file, sync_file, size_of_file, lock_file, unlock_file, check_reserved,
  control, sector_size, characteristics,
  map_memory, lock_memory, memory_barrier, unmap_memory,
  0, 0,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *outFlags) {
  (void)vfs;
  file->pMethods = 0;
  if (disturbance_strikes(disturbance_open)) return SQLITE_CANTOPEN;
  int code = original->xOpen(original, name, inner(file), flags, outFlags);
  if (inner(file)->pMethods) file->pMethods = &methods;
  return code;
}

static int delete_file(sqlite3_vfs *vfs, const char *name, int syncsFolder) {
  (void)vfs;
  if (disturbance_strikes(disturbance_delete)) return SQLITE_IOERR_DELETE;
  return original->xDelete(original, name, syncsFolder);
}

static int access_file(sqlite3_vfs *vfs, const char *name, int flags, int *result) {
  (void)vfs;
  if (disturbance_strikes(disturbance_access)) return SQLITE_IOERR_ACCESS;
  return original->xAccess(original, name, flags, result);
}

int disturbance_install(void) {
  if (original) return SQLITE_OK;
  int code = sqlite3_initialize();
  if (code != SQLITE_OK) return code;
  original = sqlite3_vfs_find(0);
  if (!original) return SQLITE_ERROR;
  disturbed = *original;
  disturbed.zName = "disturbed";
  disturbed.szOsFile = (int)((sizeof(DisturbedFile) + 15) & ~(size_t)15) + original->szOsFile;
  disturbed.xOpen = open_file;
  disturbed.xDelete = delete_file;
  disturbed.xAccess = access_file;
  return sqlite3_vfs_register(&disturbed, 1);
}
