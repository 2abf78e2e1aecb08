/// The action that the command line requests.
enum Command {
  /// Print the help text.
  case help
  /// Print the plan and inject nothing.
  case plan(Options)
  /// Inject the stalls.
  case run(Options)

  /// Reads the arguments after the program's name. Throws ``OptionsError``.
  init(arguments: [String]) throws {
    if arguments.contains("--help") || arguments.contains("-h") {
      self = .help
    } else if arguments.contains("--plan") {
      self = .plan(try Options(arguments: arguments.filter { $0 != "--plan" }))
    } else {
      self = .run(try Options(arguments: arguments))
    }
  }
}
