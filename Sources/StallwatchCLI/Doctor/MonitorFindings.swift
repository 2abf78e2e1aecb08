import StallwatchLibc
import StallwatchProbe
import StallwatchReport
import StallwatchStore
import StallwatchSymbols

/// Whether this installation is complete.
struct MonitorFindings {
  /// The environment under which `record` would run.
  var environment: ProgramEnvironment

  /// All findings about this installation.
  func all() -> [DoctorFinding] {
    [DoctorFinding("libsqlite3", .good, SQLiteLibrary.version)] + libraries() + [storeDirectory()]
  }

  private func libraries() -> [DoctorFinding] {
    do {
      let libraries = try MonitorLibraries.find(environment: environment)
      return [
        DoctorFinding("injected libraries", .good, FilePath.directory(of: libraries.inject)), runtime(libraries),
      ] + awaitingFunctions(libraries)
    } catch {
      return [DoctorFinding("injected libraries", .obstacle, "not found", remark: Failure(error).message)]
    }
  }

  private func runtime(_ libraries: MonitorLibraries) -> DoctorFinding {
    do {
      let runtime = try libraries.runtime(search: LibrarySearch(libraryPath: environment["LD_LIBRARY_PATH"]))
      return DoctorFinding("Swift runtime", .good, runtime.isEmpty ? "the system's" : Self.shortened(runtime))
    } catch {
      return DoctorFinding("Swift runtime", .obstacle, "not found", remark: Failure(error).message)
    }
  }

  /// Whether stacks will show which functions await those that run: only of a runtime whose tasks lie in memory as the
  /// monitor knows them. None where the runtime is not found.
  private func awaitingFunctions(_ libraries: MonitorLibraries) -> [DoctorFinding] {
    let search = LibrarySearch(libraryPath: environment["LD_LIBRARY_PATH"])
    guard let image = ElfImage(path: libraries.inject),
      let path = search.closure(of: image, at: libraries.inject).found["libswift_Concurrency.so"]
    else { return [] }
    let topic = "awaiting functions"
    let version = ElfImage.exportedNumber(TaskLayout.versionName, path: path)
    if version == TaskLayout.version { return [DoctorFinding(topic, .good, "stacks of Swift tasks show them")] }
    let known = version.map { "has version \($0)" } ?? "is not named"
    return [
      DoctorFinding(
        topic, .limit, "left out of stacks",
        remark: "The layout of the Swift runtime's tasks \(known); the monitor knows version \(TaskLayout.version).")
    ]
  }

  /// `libswiftCore.so build 12345678`: enough of a build-id to compare by eye.
  private static func shortened(_ runtime: String) -> String {
    runtime.split(separator: ",").map { library in
      let parts = library.split(separator: "=", maxSplits: 1)
      return parts.count == 2 ? "\(parts[0]) build \(parts[1].prefix(12))" : String(library)
    }.joined(separator: ", ")
  }

  private func storeDirectory() -> DoctorFinding {
    access(".", W_OK) == 0
      ? DoctorFinding("working directory", .good, "a store can be written here")
      : DoctorFinding(
        "working directory", .limit, "not writable", remark: "Choose a file elsewhere with 'record -o'.")
  }
}
