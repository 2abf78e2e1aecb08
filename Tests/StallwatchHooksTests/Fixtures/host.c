// Loads the library that its argument names, with what that needs, for itself alone, and runs it.

#include <dlfcn.h>
#include <stdio.h>

int main(int count, char *arguments[]) {
  void *library = count > 1 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 3;
  }
  void (*run)(void) = (void (*)(void))dlsym(library, "run");
  run();
  return 0;
}
