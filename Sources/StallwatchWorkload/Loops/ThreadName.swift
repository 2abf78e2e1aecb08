import Foundation

/// Names the calling thread; at most 15 bytes on Linux. Foundation's own setter does nothing on Linux while the call
/// that started the thread has not returned yet.
func nameThread(_ name: String) {
  #if canImport(Darwin)
    pthread_setname_np(name)
  #else
    pthread_setname_np(pthread_self(), name)
  #endif
}
