#pragma once

/// `stallwatch_hooks_register` of StallwatchHooks, whose header says what a listener is.
typedef int (*stallwatch_hooks_register_function)(const void *listener);

/// How to register with the hooks of this process, or NULL when it has none. Preloaded hooks come before linked ones:
/// they see the same calls, and decide by their listener whether `record` brings in a second monitor. Any thread.
stallwatch_hooks_register_function stallwatch_find_hooks_register(void);
