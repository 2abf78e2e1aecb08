import Foundation

/// Names the calling thread; at most 15 bytes on Linux. Foundation's own setter does nothing on Linux while the call
/// that started the thread has not returned yet, and Swift does not see pthread_setname_np there.
func nameThread(_ name: String) {
  #if canImport(Darwin)
    pthread_setname_np(name)
  #else
    let file = open("/proc/thread-self/comm", O_WRONLY | O_CLOEXEC)
    guard file >= 0 else { return }
    _ = write(file, name, name.utf8.count)
    close(file)
  #endif
}
