#include "PeersAtStart.h"

// Swift has no constructors: this one calls what the library exports.
void peer_techniques_begin(void);

__attribute__((constructor)) static void begin(void) { peer_techniques_begin(); }
