#ifndef C_SWIFT_RUNTIME_H
#define C_SWIFT_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// This module knows what Swift's runtime exports, and words of threads and of the process.

/// Retains a Swift object unless its deallocation has begun; null in that case.
///
/// Exported by the Swift runtime on every platform, and what a weak reference uses itself. The identity map needs it
/// because it holds objects unretained, and one of them may be dying on another thread.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Counts several references to a Swift object at once, and takes them back. Exported by the Swift runtime on every
/// platform; the compiler calls them itself where it can put countings together.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);
void swift_release_n(void *_Nonnull object, uint32_t count);

/// How many references count a Swift object. Exported by the Swift runtime on every platform.
///
/// The identity map keeps models that are written by hand, and needs it to let go of those that nobody else holds.
size_t swift_retainCount(void *_Nonnull object);

/// Begins to load memory that is needed soon, if there is any at the address.
static inline void osd_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }

/// Reads and writes a word that another thread may write or read meanwhile: one that writes holds a lock, one that reads
/// need not, when an old word tells it no less than it has to know.
static inline uint64_t osd_load_relaxed(const uint64_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline void osd_store_relaxed(uint64_t *_Nonnull word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/// Whether a Swift object's deallocation has begun. Exported by the Swift runtime on every platform.
///
/// The identity map needs it to clear the place of an object that dies without knowing where the object is.
bool swift_isDeallocating(void *_Nonnull object);

/// Which conformances of a type belong to an actor: bits of those below. The type is the address of its metadata.
///
/// Asked of the function with which the runtime's own casts look for conformances, exported since Swift 6.2. An older runtime
/// has no such conformances.
#define OSD_ISOLATED_RAW_VALUES 1
#define OSD_ISOLATED_CODING 2
int32_t osd_isolated_conformances(const void *_Nonnull type);

/// Whether this thread is between deciding to make a model from a row and having run the initial values of its slots.
extern _Thread_local bool osd_decoding;

static inline bool osd_is_decoding(void) { return osd_decoding; }
static inline void osd_set_decoding(bool value) { osd_decoding = value; }

/// Whether the key path of a tracking probe was hashed on this thread since this was last asked.
extern _Thread_local bool osd_probe_noted;

static inline void osd_note_probe(void) { osd_probe_noted = true; }
static inline bool osd_take_probe_note(void) {
  bool noted = osd_probe_noted;
  if (noted) osd_probe_noted = false;
  return noted;
}

/// The tracking probe of this thread, a Swift object that the thread owns and that goes with it; null before its first.
extern _Thread_local void *_Nullable osd_thread_probe_object;

static inline void *_Nullable osd_thread_probe(void) { return osd_thread_probe_object; }

/// Gives this thread a probe, retained for it, and lets go of the one that it had.
void osd_set_thread_probe(void *_Nonnull probe);

/// How many contexts record their changes. A number for the whole process, so that changes in any other process pay one
/// load for it.
extern _Atomic(int) osd_recording_count;

static inline bool osd_is_recording(void) {
  return atomic_load_explicit(&osd_recording_count, memory_order_relaxed) > 0;
}
static inline void osd_begin_recording(void) { atomic_fetch_add(&osd_recording_count, 1); }
static inline void osd_end_recording(void) { atomic_fetch_sub(&osd_recording_count, 1); }

#endif
