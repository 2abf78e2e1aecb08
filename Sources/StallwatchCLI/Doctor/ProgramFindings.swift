import StallwatchReport
import StallwatchSymbols

/// Whether the monitor can watch a program.
struct ProgramFindings {
  /// The environment under which `record` would run the program.
  var environment: ProgramEnvironment

  /// All findings about the program that a shell would run for `name`. Throws ``Failure`` when there is none.
  func all(_ name: String) throws -> [DoctorFinding] {
    let path: String
    do {
      path = try ProgramLookup(path: environment["PATH"]).find(name)
    } catch {
      // `record` gives these errors a shell's exit codes; here the name is bad input like any other.
      throw Failure(.badInput, Failure(error).message)
    }
    let search = LibrarySearch(libraryPath: environment["LD_LIBRARY_PATH"])
    let inspection = ProgramInspection(path: path, libraries: search)
    return [DoctorFinding("program file", .good, path), kind(inspection)] + lanes(inspection)
  }

  /// What serves work in the program, as far as it will be seen. None where nothing will.
  private func lanes(_ inspection: ProgramInspection) -> [DoctorFinding] {
    let dispatch = "the main queue and actor, other actors, Dispatch's queues, Swift's pool"
    let seen: (lanes: String, unseen: String)? =
      switch inspection.kind {
      case .foundation: ("run loops, event loops (epoll), \(dispatch)", "for how long events of sources wait")
      case .swiftWithoutFoundation: ("event loops (epoll), \(dispatch)", "for how long events of sources wait")
      case .staticSwift: ("event loops (epoll)", "run loops, \(dispatch)")
      default: nil
      }
    guard inspection.obstacle == nil, let seen else { return [] }
    return [DoctorFinding("lanes", .good, seen.lanes, remark: "Not seen: \(seen.unseen).")]
  }

  private func kind(_ inspection: ProgramInspection) -> DoctorFinding {
    let (value, remark) = Self.words(inspection.kind)
    if let obstacle = inspection.obstacle {
      return DoctorFinding("program", .obstacle, value, remark: "It \(obstacle).")
    }
    if let limit = inspection.limit { return DoctorFinding("program", .limit, value, remark: "It \(limit).") }
    let isGood = [.foundation, .swiftWithoutFoundation].contains(inspection.kind)
    return DoctorFinding("program", isGood ? .good : .limit, value, remark: remark)
  }

  private static func words(_ kind: ProgramInspection.ProgramKind) -> (value: String, remark: String?) {
    switch kind {
    case .foundation: ("dynamically linked, uses Foundation", nil)
    case .swiftWithoutFoundation: ("dynamically linked Swift without Foundation", nil)
    case .staticSwift: ("Swift with its runtime linked in", nil)
    case .staticProgram: ("statically linked", nil)
    case .withoutSwift: ("dynamically linked, no Swift", "It has no run loop; programs that it starts are watched.")
    case .script: ("a script", "It has no run loop; programs that it starts are watched.")
    case .otherMachine: ("built for another processor or word size", nil)
    case .otherLoader: ("built for another C library", nil)
    case .notInspected: ("of an unknown format", "Record it to find out whether it can be watched.")
    }
  }
}
