/// Why ClickHouse did not do what it was asked. Each says what to do about it, in one line.
package enum ClickHouseError: Error, Equatable, CustomStringConvertible {
  /// The URL, or another setting, cannot be used.
  case unusable(String)
  /// This machine has no libcurl.
  case noLibrary
  case unreachable(server: String, reason: String)
  case untrusted(server: String, reason: String)
  case tooSlow(server: String, patience: Duration)
  case brokenOff(server: String, reason: String)
  /// An answer longer than anybody would use.
  case tooLong(server: String)
  /// Wrong user or password, or no right to do this.
  case denied(server: String, reason: String)
  /// An exception of the server's, with its code.
  case refused(server: String, code: Int, reason: String)
  /// What answers is not ClickHouse, or does not answer as ClickHouse does.
  case nonsense(server: String, reason: String)

  /// Whether the same request may be taken later. What is not worth it stays wrong until a person changes something.
  package var isWorthRetrying: Bool {
    switch self {
    case .unusable, .noLibrary, .untrusted, .denied: false
    case .unreachable, .tooSlow, .brokenOff, .tooLong, .nonsense: true
    case .refused(_, let code, _): Self.passing.contains(code)
    }
  }

  /// Whether a person has to mend something before anything is taken: trust, a user, tables.
  package var needsMending: Bool {
    switch self {
    case .unusable, .noLibrary, .untrusted, .denied: true
    case .refused(_, let code, _): Self.missing.contains(code)
    default: false
    }
  }

  package var description: String {
    switch self {
    case .unusable(let reason): reason
    case .noLibrary: "this machine has no libcurl, which talks to servers; install libcurl4"
    case .unreachable(let server, let reason): "\(server): cannot be reached: \(reason)"
    case .untrusted(let server, let reason):
      "\(server): is not trusted: \(reason); name a file with its certificate by --certificates"
    case .tooSlow(let server, let patience): "\(server): did not answer within \(patience.components.seconds) s"
    case .brokenOff(let server, let reason): "\(server): the connection broke off: \(reason)"
    case .tooLong(let server): "\(server): sends a longer answer than is read; ask for less"
    case .denied(let server, let reason): "\(server): refuses this user: \(reason)"
    case .refused(let server, let code, let reason):
      "\(server): refuses: \(reason)\(Self.remedy(code).map { "; \($0)" } ?? "")"
    case .nonsense(let server, let reason): "\(server): does not answer as ClickHouse does: \(reason)"
    }
  }

  /// Codes of the server's (src/Common/ErrorCodes.cpp): too slow, too much at once, no memory, no room, too many parts, a
  /// shard or the keeper away.
  private static let passing: Set<Int> = [
    159, 202, 203, 209, 210, 225, 236, 241, 242, 243, 252, 279, 285, 286, 298, 319, 394, 425, 439, 999,
  ]
  /// Unknown database, table or column.
  private static let missing: Set<Int> = [8, 16, 47, 60, 81]
  /// Wrong password, unknown user, no right.
  private static let denials: Set<Int> = [192, 193, 194, 195, 291, 492, 497, 516]

  private static func remedy(_ code: Int) -> String? {
    missing.contains(code) ? "'stallwatch fleet migrate' makes what is missing" : nil
  }

  /// The error for what a server said instead of doing what was asked.
  static func complaint(_ answer: HTTPAnswer, server: String) -> Self {
    let text = String(decoding: answer.body, as: UTF8.self)
    guard let (code, reason) = exception(in: text) else {
      let line = oneLine(text)
      let reason = "HTTP status \(answer.status)\(line.isEmpty ? "" : ": \(line)")"
      return answer.status == 401 || answer.status == 403
        ? .denied(server: server, reason: reason) : .nonsense(server: server, reason: reason)
    }
    return denials.contains(code)
      ? .denied(server: server, reason: reason) : .refused(server: server, code: code, reason: reason)
  }

  /// The code and the text of an exception: `Code: 47, e.displayText() = DB::Exception: Unknown …`, or today
  /// `Code: 47. DB::Exception: Unknown …`.
  static func exception(in text: String) -> (code: Int, reason: String)? {
    guard let start = text.firstRange(of: "Code: ")?.upperBound, text.contains("Exception") else { return nil }
    let digits = text[start...].prefix { $0.isASCII && $0.isNumber }
    guard let code = Int(digits) else { return nil }
    var reason = text[digits.endIndex...]
    if let name = reason.firstRange(of: "DB::Exception: ") { reason = reason[name.upperBound...] }
    for end in [", e.what()", ". (", " (version", "Stack trace", ": While executing"] {
      if let found = reason.firstRange(of: end) { reason = reason[..<found.lowerBound] }
    }
    return (code, oneLine(String(reason)))
  }

  /// The most characters of a server's text.
  private static let longest = 300

  static func oneLine(_ text: String) -> String {
    let line = text.split(whereSeparator: { $0.isNewline }).joined(separator: " ")
    return line.count > longest ? line.prefix(longest) + "…" : line
  }
}
