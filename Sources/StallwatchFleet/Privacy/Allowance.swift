/// What leaves a machine only where somebody allows it.
package enum Allowance: String, CaseIterable, Sendable {
  /// The command line beyond the program's name.
  case arguments
  /// The names of machines.
  case hosts
  /// What a program reports about itself with its stalls.
  case annotations
  /// What a blocked thread waited for.
  case targets
  /// Paths of files in full.
  case paths
}

extension Allowance {
  /// What is kept back without it.
  package var keptBack: String {
    switch self {
    case .arguments: "the command line, but for the program's name"
    case .hosts: "host names, also in other texts, and instances that nobody named"
    case .annotations: "annotations of stalls, names and values"
    case .targets: "what a blocked thread waited for: files, peers of sockets"
    case .paths: "folders: source files and paths in functions' names, and home folders in any text"
    }
  }

  /// What takes its place.
  package var instead: String {
    switch self {
    case .arguments, .annotations, .targets: "nothing"
    case .hosts: "nothing, '<host>' in texts, and a number made by chance for an instance"
    case .paths: "what follows Sources/ or Tests/, or a path's last two parts; ~ for a home folder"
    }
  }

  /// What never leaves, whatever is allowed.
  package static let never: [(keptBack: String, instead: String)] = [
    ("e-mail addresses in any text", "<e-mail>"),
    ("the name of the store's owner, in texts that are no paths", "<user>"),
  ]
  /// What always leaves.
  package static let always =
    "names of functions, modules and system calls; names of lanes, modes, timers and tags, and what the program says of its "
    + "service, release, environment and instance, without what is listed above"

  /// The list of all that is kept back, as the help of `ship` prints it: a line each.
  package static var list: String {
    let width = allCases.map(\.rawValue.count).max() ?? 0
    let line = { (name: String, keptBack: String, instead: String) in
      "  \(name)\(String(repeating: " ", count: width - name.count))  \(keptBack) (instead: \(instead))"
    }
    return
      (allCases.map { line($0.rawValue, $0.keptBack, $0.instead) } + never.map { line("–", $0.keptBack, $0.instead) })
      .joined(separator: "\n")
  }
}
