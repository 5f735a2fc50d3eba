#include "CSwiftRuntime.h"

_Thread_local bool osd_decoding = false;
_Atomic(int) osd_recording_count = 0;
