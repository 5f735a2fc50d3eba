#include "_CSwiftRuntime.h"

#include <pthread.h>
#include <stddef.h>

_Thread_local bool osd_decoding = false;
_Atomic(int) osd_recording_count = 0;
_Atomic(bool) osd_observed = false;

_Thread_local bool osd_probe_noted = false;
_Thread_local void *osd_thread_probe_object = NULL;

void swift_release(void *object);

#ifdef __APPLE__
#define OSD_SYMBOL(name) "_" name
#else
#define OSD_SYMBOL(name) name
#endif

// The protocol descriptors of RawRepresentable, Decodable and Encodable.
extern const char osd_raw_representable __asm__(OSD_SYMBOL("$sSYMp"));
extern const char osd_decodable __asm__(OSD_SYMBOL("$sSeMp"));
extern const char osd_encodable __asm__(OSD_SYMBOL("$sSEMp"));

extern const size_t swift_ConformanceExecutionContextSize __attribute__((weak));
const void *swift_conformsToProtocolWithExecutionContext(
    const void *type, const void *protocol, void *context) __attribute__((weak));

// The first word of a context is the global actor's type, the rest its conformance to GlobalActor.
static bool is_isolated(const void *type, const void *protocol) {
  void *context[16] = {0};
  if (swift_ConformanceExecutionContextSize > sizeof context) return false;
  return swift_conformsToProtocolWithExecutionContext(type, protocol, context) && context[0];
}

int32_t osd_isolated_conformances(const void *type) {
  if (!swift_conformsToProtocolWithExecutionContext || !&swift_ConformanceExecutionContextSize) return 0;
  int32_t isolated = is_isolated(type, &osd_raw_representable) ? OSD_ISOLATED_RAW_VALUES : 0;
  if (is_isolated(type, &osd_decodable) || is_isolated(type, &osd_encodable)) isolated |= OSD_ISOLATED_CODING;
  return isolated;
}

// Key and thread-local variable hold the same object: the variable is faster to read, the key has a destructor.
static pthread_key_t probe_key;
static pthread_once_t probe_once = PTHREAD_ONCE_INIT;

static void release_probe(void *probe) {
  osd_thread_probe_object = NULL;
  swift_release(probe);
}

static void make_probe_key(void) { pthread_key_create(&probe_key, release_probe); }

void osd_set_thread_probe(void *probe) {
  pthread_once(&probe_once, make_probe_key);
  void *former = osd_thread_probe_object;
  osd_thread_probe_object = probe;
  pthread_setspecific(probe_key, probe);
  if (former) swift_release(former);
}
