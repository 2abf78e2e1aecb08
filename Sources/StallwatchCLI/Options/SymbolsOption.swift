import ArgumentParser
import StallwatchLibc
import StallwatchSymbols

/// Where to find function names, and whose functions causes name, for verbs that show stacks.
struct SymbolsOption: ParsableArguments {
  @Option(
    name: .customLong("symbols"),
    help: ArgumentHelp(
      "Also search this folder for unstripped or older builds, by build-id. May be given several times.",
      valueName: "folder"),
    completion: .directory)
  var folders: [String] = []

  @Option(
    name: .customLong("own"),
    help: ArgumentHelp(
      """
      Also count this library, file or Swift module as the program's own code, which causes name. Without it that is \
      all that lies in no folder of the system and comes from no checkout of a package. May be given several times.
      """,
      valueName: "image"))
  var own: [String] = []

  /// A search in these folders, and for recorded paths below `root`. Throws ``Failure`` where one of them is not a readable
  /// folder.
  func search(root: String? = nil) throws -> SymbolSearch {
    for folder in folders {
      guard let stream = opendir(folder) else {
        let reason = String(cString: strerror(errno))
        throw Failure(.badInput, "\(folder): cannot search it for symbols: \(reason); name a readable folder")
      }
      closedir(stream)
    }
    return SymbolSearch(folders: folders, root: root, own: OwnCode(named: own))
  }
}
