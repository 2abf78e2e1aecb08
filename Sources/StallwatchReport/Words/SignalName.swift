/// What signals are called, by their numbers on the system that sent them.
package enum SignalName {
  // The same on Linux for x86 and for ARM, and on Apple's systems.
  private static let everywhere: [Int32: String] = [
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 8: "SIGFPE", 9: "SIGKILL",
    11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ", 26: "SIGVTALRM",
    27: "SIGPROF",
  ]
  private static let linux: [Int32: String] = [
    7: "SIGBUS", 10: "SIGUSR1", 12: "SIGUSR2", 16: "SIGSTKFLT", 29: "SIGIO", 30: "SIGPWR", 31: "SIGSYS",
  ]
  private static let apple: [Int32: String] = [
    7: "SIGEMT", 10: "SIGBUS", 12: "SIGSYS", 30: "SIGUSR1", 31: "SIGUSR2",
  ]

  /// The name of the signal that an exit status of 128 + n stands for, or `signal 42` where the number has none. Nil for
  /// another status. `platform` is that of a session, such as `linux x86_64`.
  package static func of(exitStatus: Int32, on platform: String) -> String? {
    guard (129..<256).contains(exitStatus) else { return nil }
    let number = exitStatus - 128
    let own = platform.hasPrefix("linux") ? linux : apple
    return everywhere[number] ?? own[number] ?? "signal \(number)"
  }
}
