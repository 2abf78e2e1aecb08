/// Where and why a text is no TOML.
public struct TOMLError: Error, Equatable {
  /// The line, from 1.
  public var line: Int
  /// What is wrong with it.
  public var message: String
}
