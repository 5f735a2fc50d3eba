#include "CSwiftRuntime.h"

_Thread_local bool osd_decoding = false;
