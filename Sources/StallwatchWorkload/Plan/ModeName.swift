/// The modes that the workload runs its loops in.
enum ModeName {
  /// CF's default mode.
  static let standard = "kCFRunLoopDefaultMode"
  /// A mode that each loop makes a common mode, the first time it runs in it.
  static let tracking = "WorkloadTracking"
  /// A mode that is in no set, `number` 1, 2, 3 …
  static func privateMode(_ number: Int) -> String { "WorkloadPrivate\(number)" }

  /// CF's name for the set of common modes; no loop runs in it.
  static let commonModes = "kCFRunLoopCommonModes"

  /// The modes that serve what is registered in the common modes, and the main queue.
  static let common = [standard, tracking]
}
