#include "CStallwatch.h"
