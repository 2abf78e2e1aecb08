import StallwatchLibc
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
      ]
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
