import Foundation

/// Names the calling thread; Linux keeps at most 15 bytes. On Linux Foundation's setter does nothing until the call
/// that started the thread has returned, and Swift does not see pthread_setname_np.
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
