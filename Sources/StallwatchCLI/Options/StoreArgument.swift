import ArgumentParser

/// The store that a verb reads.
struct StoreArgument: ParsableArguments {
  @Argument(help: "A file that 'stallwatch record' or the embedded library wrote.", completion: .file())
  var store: String
}
