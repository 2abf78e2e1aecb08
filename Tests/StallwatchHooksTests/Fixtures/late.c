// Brings Foundation in late and for itself alone, and runs a loop of its: late LIBRARY
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
  void *foundation = dlopen(arguments[count - 1], RTLD_NOW | RTLD_LOCAL);
  if (foundation == NULL) return 2;
  int (*run)(const void *, double, unsigned char) = dlsym(foundation, "CFRunLoopRunInMode");
  const void *const *mode = dlsym(foundation, "kCFRunLoopDefaultMode");
  printf("%d\n", run(*mode, 0, 0));
  return 0;
}
