#define _GNU_SOURCE
#include "Disturbance.h"

// The system's calls as the program that is linked with this sees them: those for the files of external values are counted
// and may fail, all others are passed on. SQLite's own go another way.

#if defined(__linux__)

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Atomic: any thread opens and closes files.
static _Atomic char is_external[1024];

static int is_in_folder(const char *path) { return path && strstr(path, "_external") != 0; }

static int is_watched(int descriptor) {
  return descriptor >= 0 && descriptor < (int)sizeof is_external && atomic_load(&is_external[descriptor]);
}

static int fails(int code) {
  errno = code;
  return -1;
}

static int open_watched(const char *path, int flags, mode_t mode) {
  int watched = is_in_folder(path);
  if (watched && disturbance_strikes(disturbance_external_open)) return fails(EIO);
  int descriptor = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
  if (descriptor >= 0 && descriptor < (int)sizeof is_external) atomic_store(&is_external[descriptor], (char)watched);
  return descriptor;
}

int open(const char *path, int flags, ...) {
  mode_t mode = 0;
  if (flags & (O_CREAT | O_TMPFILE)) {
    va_list arguments;
    va_start(arguments, flags);
    mode = va_arg(arguments, mode_t);
    va_end(arguments);
  }
  return open_watched(path, flags, mode);
}

ssize_t read(int descriptor, void *buffer, size_t count) {
  if (is_watched(descriptor) && disturbance_strikes(disturbance_external_read)) return fails(EIO);
  return syscall(SYS_read, descriptor, buffer, count);
}

ssize_t write(int descriptor, const void *buffer, size_t count) {
  if (is_watched(descriptor) && disturbance_strikes(disturbance_external_write)) {
    if (count > 1) syscall(SYS_write, descriptor, buffer, count / 2);
    return fails(ENOSPC);
  }
  return syscall(SYS_write, descriptor, buffer, count);
}

int fsync(int descriptor) {
  if (is_watched(descriptor) && disturbance_strikes(disturbance_external_sync)) return fails(EIO);
  return (int)syscall(SYS_fsync, descriptor);
}

int close(int descriptor) {
  if (descriptor >= 0 && descriptor < (int)sizeof is_external) atomic_store(&is_external[descriptor], 0);
  return (int)syscall(SYS_close, descriptor);
}

int mkdir(const char *path, mode_t mode) {
  if (is_in_folder(path) && disturbance_strikes(disturbance_external_folder)) return fails(ENOSPC);
  return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}

#endif
