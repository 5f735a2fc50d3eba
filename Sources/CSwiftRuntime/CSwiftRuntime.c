#include "CSwiftRuntime.h"

#include <pthread.h>

_Thread_local bool osd_decoding = false;
_Atomic(int) osd_recording_count = 0;

_Thread_local bool osd_probe_noted = false;
_Thread_local void *osd_thread_probe_object = NULL;

void swift_release(void *object);

// The key holds the same object as the variable, which is faster to read; only a key lets go of it with the thread.
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
