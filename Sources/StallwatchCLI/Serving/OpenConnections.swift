#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The connections that are open. There is always room for a new one: the oldest of those that have not shown the token
/// goes, so that whoever has it waits for nobody.
actor OpenConnections {
  private struct Connection {
    var work: Task<Void, Never>?
    var isTrusted = false
  }

  private var connections: [Int: Connection] = [:]
  private var next = 0
  private let most: Int

  /// A page has two connections, one of them only for the moment of loading.
  private static let mostWanted = 64
  /// File descriptors that are left for the store and for the search of symbols.
  private static let reserve = 24

  /// Room for as many as there may be open files.
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

  /// Does `work` on a new connection, whose number it is given. Waits until there is room for it.
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

  /// Notes that a connection has shown the token.
  func trust(_ number: Int) { connections[number]?.isTrusted = true }

  /// Ends the connection that is missed least.
  func endOldest() async {
    let oldest = connections.min { ($0.value.isTrusted ? 1 : 0, $0.key) < ($1.value.isTrusted ? 1 : 0, $1.key) }
    guard let work = oldest?.value.work else { return }
    work.cancel()
    await work.value
  }

  private func remove(_ number: Int) { connections[number] = nil }
}
