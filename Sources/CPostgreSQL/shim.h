// This module knows the header of the system's libpq.
#include <libpq-fe.h>
