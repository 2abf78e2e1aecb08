#pragma once
#include "WalkState.h"

/// Steps to the caller of a function where the unwind tables do not tell the way; false where nothing else does.
bool step_without_tables(walk_state *state, known_rule *known);
