import StallwatchCore
import StallwatchLibc
import StallwatchReport
import StallwatchStore

/// The private facts of a session, which must be recognised in its texts so that they do not leave.
package struct PrivateFacts: Sendable {
  /// The machine's name.
  package var host: String
  /// The names of the machine's users who have to do with the session.
  package var users: [String]
  /// Home folders in unusual places.
  package var homes: [String]
  /// The instance's name where host names do not leave and nobody named the instance; nil where somebody did.
  package var standIn: String?

  /// Sets every property as given.
  package init(host: String, users: [String] = [], homes: [String] = [], standIn: String? = nil) {
    (self.host, self.users, self.homes, self.standIn) = (host, users, homes, standIn)
  }

  /// The facts of a session in a store of `owner`.
  ///
  /// - Parameter standIn: A random number that stands for this machine, always the same one.
  package init(_ session: StoredSession, _ labels: CompleteLabels, owner: StoreOwner?, standIn: String) {
    host = session.record.process.host
    var users = [owner?.name].compactMap(\.self)
    for word in session.record.command { users += HomeFolder.users(in: word) }
    self.users = Array(Set(users)).sorted()
    homes = [owner?.home].compactMap(\.self)
    self.standIn = labels.isInstanceDefaulted ? standIn : nil
  }
}

/// The user to whom a store belongs.
package struct StoreOwner: Sendable, Equatable {
  package var name: String
  /// The path of the home folder; nil where other users share it.
  package var home: String?

  /// The owner of the file at `path`; nil where the system does not know.
  package init?(ofFile path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    var entry = passwd()
    var found: UnsafeMutablePointer<passwd>?
    var buffer = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(status.st_uid, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
    else { return nil }
    self.name = String(cString: name)
    let folder = entry.pw_dir.map { String(cString: $0) } ?? ""
    home = folder.split(separator: "/").isEmpty || Self.common.contains(folder) ? nil : folder
  }

  /// Folders that password files give as homes although they belong to everybody.
  private static let common: Set = [
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/dev", "/dev/null", "/nonexistent", "/var/empty", "/tmp", "/opt", "/srv",
    "/usr", "/var", "/var/lib", "/app",
  ]
}
