#ifndef C_SWIFT_RUNTIME_H
#define C_SWIFT_RUNTIME_H

#include <stdbool.h>

/// Retains a Swift object unless its deallocation has begun; null in that case.
///
/// Exported by the Swift runtime on every platform, and what a weak reference uses itself. The identity map needs it
/// because it holds objects unretained, and one of them may be dying on another thread.
void *_Nullable swift_tryRetain(void *_Nonnull object);

/// Whether this thread is between deciding to make a model from a row and having run the initial values of its slots.
extern _Thread_local bool osd_decoding;

static inline bool osd_is_decoding(void) { return osd_decoding; }
static inline void osd_set_decoding(bool value) { osd_decoding = value; }

#endif
