import Foundation

/// Names the calling thread; at most 15 bytes on Linux. Foundation's own setter does nothing on Linux while the call
/// that started the thread has not returned yet.
func nameThread(_ name: String) {
  #if canImport(Darwin)
    pthread_setname_np(name)
  #else
    // glibc's pthread_setname_np is not to be had from Swift; it writes this file, too.
    let descriptor = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    write(descriptor, name, name.utf8.count)
    close(descriptor)
  #endif
}
