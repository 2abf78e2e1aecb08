import ArgumentParser

/// The store that a reading verb takes.
struct StoreArgument: ParsableArguments {
  @Argument(help: "A file that 'stallwatch record' or the embedded library wrote.", completion: .file())
  var store: String
}
