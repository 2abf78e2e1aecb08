import StallwatchLibc

/// The open connections. There is always room for a new one: the oldest connection that has not shown the token is
/// closed, so that nobody with the token has to wait.
actor OpenConnections {
  private struct Connection {
    var work: Task<Void, Never>?
    var isTrusted = false
  }

  private var connections: [Int: Connection] = [:]
  private var next = 0
  private let most: Int

  /// The most connections wanted. A page has two, one of them only while it loads.
  private static let mostWanted = 64
  /// File descriptors kept free for the store and the search for symbols.
  private static let reserve = 24

  /// Allows as many connections as the limit on open files leaves room for.
  init() {
    var files = rlimit()
    #if canImport(Glibc)
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
      let resource = RLIMIT_NOFILE
    #endif
    guard getrlimit(resource, &files) == 0 else {
      most = 1
      return
    }
    files.rlim_cur = max(files.rlim_cur, min(files.rlim_max, rlim_t(Self.mostWanted + Self.reserve)))
    setrlimit(resource, &files)
    most = min(max(Int(clamping: files.rlim_cur) - Self.reserve, 1), Self.mostWanted)
  }

  /// Runs `work` on a new connection and passes its number. Waits until there is room.
  func add(_ work: @escaping @Sendable (Int) async -> Void) async {
    while connections.count >= most { await endOldest() }
    let number = next
    next += 1
    connections[number] = Connection()
    connections[number]?.work = Task {
      await work(number)
      remove(number)
    }
  }

  /// Records that a connection has shown the token.
  func trust(_ number: Int) { connections[number]?.isTrusted = true }

  /// Closes the oldest connection, those without the token first.
  func endOldest() async {
    let oldest = connections.min { ($0.value.isTrusted ? 1 : 0, $0.key) < ($1.value.isTrusted ? 1 : 0, $1.key) }
    guard let work = oldest?.value.work else { return }
    work.cancel()
    await work.value
  }

  private func remove(_ number: Int) { connections[number] = nil }
}
