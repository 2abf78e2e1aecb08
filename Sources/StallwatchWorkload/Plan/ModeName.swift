/// The modes in which the workload runs its loops.
enum ModeName {
  /// CF's default mode.
  static let standard = "kCFRunLoopDefaultMode"
  /// A mode that each loop makes a common mode when it first runs in it.
  static let tracking = "WorkloadTracking"
  /// A mode outside the common modes; `number` counts from 1.
  static func privateMode(_ number: Int) -> String { "WorkloadPrivate\(number)" }

  /// CF's name for the set of common modes, which is no mode to run in.
  static let commonModes = "kCFRunLoopCommonModes"

  /// The modes that serve the main queue and what is registered in the common modes.
  static let common = [standard, tracking]
}
