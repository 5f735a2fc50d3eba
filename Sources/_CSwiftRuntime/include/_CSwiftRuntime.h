#ifndef C_SWIFT_RUNTIME_H
#define C_SWIFT_RUNTIME_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// This module knows what Swift's runtime exports, thread-local flags, a process-wide counter and the stored form of
// texts.

/// Retains a Swift object unless its deallocation has begun; null in that case.
///
/// Exported by the Swift runtime on every platform; loading a weak reference uses it. The identity map holds objects
/// unretained, and another thread may be deallocating one.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Retain and release a Swift object several times at once. Exported by the Swift runtime on every platform; the
/// compiler calls them where it merges reference counting.
void *_Nonnull swift_retain_n(void *_Nonnull object, uint32_t count);
void swift_release_n(void *_Nonnull object, uint32_t count);

/// The strong reference count of a Swift object. Exported by the Swift runtime on every platform.
///
/// A context retains hand-written models, and releases those to which it has the only reference.
size_t swift_retainCount(void *_Nonnull object);

/// Prefetches the memory at an address, which may be invalid.
static inline void osd_prefetch(const void *_Nonnull address) { __builtin_prefetch(address); }

/// Relaxed atomic access to a word. Writers hold a lock. Readers need none where a stale word is sufficient.
static inline uint64_t osd_load_relaxed(const uint64_t *_Nonnull word) { return __atomic_load_n(word, __ATOMIC_RELAXED); }
static inline void osd_store_relaxed(uint64_t *_Nonnull word, uint64_t value) {
  __atomic_store_n(word, value, __ATOMIC_RELAXED);
}

/// Whether a Swift object's deallocation has begun. Exported by the Swift runtime on every platform.
///
/// With it the identity map clears the entry of a key only if the stored object is deallocating.
bool swift_isDeallocating(void *_Nonnull object);

/// The conformances of a type that are isolated to a global actor, as a mask of the bits below. The type is the address
/// of its metadata.
///
/// Uses the lookup function of the runtime's casts, exported since Swift 6.2. Older runtimes have no such conformances.
#define OSD_ISOLATED_RAW_VALUES 1
#define OSD_ISOLATED_CODING 2
int32_t osd_isolated_conformances(const void *_Nonnull type);

/// Whether this thread is creating a model from a row and has not evaluated the initial values of its slots yet.
extern _Thread_local bool osd_decoding;

static inline bool osd_is_decoding(void) { return osd_decoding; }
static inline void osd_set_decoding(bool value) { osd_decoding = value; }

/// Whether the key path of a tracking probe was hashed on this thread since the last query.
extern _Thread_local bool osd_probe_noted;

static inline void osd_note_probe(void) { osd_probe_noted = true; }
static inline bool osd_take_probe_note(void) {
  bool noted = osd_probe_noted;
  if (noted) osd_probe_noted = false;
  return noted;
}

/// The tracking probe of this thread, a Swift object that the thread owns until it exits; null before the first query.
extern _Thread_local void *_Nullable osd_thread_probe_object;

static inline void *_Nullable osd_thread_probe(void) { return osd_thread_probe_object; }

/// Sets this thread's probe, consuming one reference, and releases the former one.
void osd_set_thread_probe(void *_Nonnull probe);

/// The number of contexts that record their changes. Process-wide, so that a process without any pays one load per
/// change.
extern _Atomic(int) osd_recording_count;

static inline bool osd_is_recording(void) {
  return atomic_load_explicit(&osd_recording_count, memory_order_relaxed) > 0;
}
static inline void osd_begin_recording(void) { atomic_fetch_add(&osd_recording_count, 1); }
static inline void osd_end_recording(void) { atomic_fetch_sub(&osd_recording_count, 1); }

/// Whether an observer has read a property of any model. Process-wide, so that a process without observers pays one load
/// per change of a relationship.
extern _Atomic(bool) osd_observed;

static inline bool osd_is_observed(void) { return atomic_load_explicit(&osd_observed, memory_order_relaxed); }
static inline void osd_note_observer(void) { atomic_store_explicit(&osd_observed, true, memory_order_relaxed); }

/// Whether bytes surely are a text in stored form: in normal form C of the standard library, without U+0000 and U+0001.
///
/// False says nothing: `StoredText` asks the standard library then. Bytes that are no UTF-8 are never sure. No bytes are.
bool osd_is_stored_form(const unsigned char *_Nullable bytes, long count);

/// Scalars whose age tells the version of Unicode of a standard library, and their number.
const uint32_t *_Nonnull osd_version_witnesses(long *_Nonnull count);

/// The version of Unicode of the table of `osd_is_stored_form`, as 0x1100 is 17.0.
int32_t osd_form_table_version(void);

#endif
