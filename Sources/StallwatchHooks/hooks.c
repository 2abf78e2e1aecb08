#include "StallwatchHooks.h"
