#pragma once

/// Notes that the calling thread has left the default actor that it served, if it served one: what Dispatch called it for is
/// over.
void stallwatch_leave_actor(void);
