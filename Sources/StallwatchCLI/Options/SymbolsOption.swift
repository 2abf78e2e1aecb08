import ArgumentParser
import StallwatchReport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Where to look for the names of functions, for verbs that show stacks.
struct SymbolsOption: ParsableArguments {
  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp(
      "Also look in this folder for unstripped or older builds, by build-id. May be given several times.",
      valueName: "folder"),
    completion: .directory)
  var folders: [String] = []

  /// The search that the folders make up. Throws ``Failure`` where one of them is none.
  func search() throws -> SymbolSearch {
    for folder in folders {
      guard let stream = opendir(folder) else {
        let reason = String(cString: strerror(errno))
        throw Failure(.badInput, "\(folder): cannot look for symbols in it: \(reason); name a folder")
      }
      closedir(stream)
    }
    return SymbolSearch(folders: folders)
  }
}
