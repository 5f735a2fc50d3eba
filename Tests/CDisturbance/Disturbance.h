#ifndef DISTURBANCE_H
#define DISTURBANCE_H

#include "CDisturbance.h"

/// Counts a call. Not zero when it is to fail.
int disturbance_strikes(int kind);

#endif
