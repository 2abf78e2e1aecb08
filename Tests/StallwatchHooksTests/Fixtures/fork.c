// A child made by fork() runs a loop before its parent does, then the parent.
#include <sys/wait.h>
#include <unistd.h>

extern const void *const kCFRunLoopDefaultMode;
extern int CFRunLoopRunInMode(const void *mode, double seconds, unsigned char return_after_source);

int main(void) {
  if (fork() == 0) {
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, 0);
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, 0);
    _exit(0);
  }
  wait(NULL);
  CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, 0);
  if (fork() == 0) {
    CFRunLoopRunInMode(kCFRunLoopDefaultMode, 0, 0);
    _exit(0);
  }
  int status = 1;
  wait(&status);
  return status;
}
