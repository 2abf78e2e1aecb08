/// Tells the program's own code from that of packages and of the system.
///
/// Own is every function but these: those of the system (``SystemCode``), those of libraries in the system's folders,
/// those whose source lies in a checkout that the package manager made, and those that the compiler made without a
/// source, such as derived conformances. A file without debug information does not tell packages apart: all that is
/// linked into the program counts as its own.
package struct OwnCode: Sendable {
  /// Images and modules whose code is own wherever it comes from: paths or names of files, or names of Swift modules.
  package let named: Set<String>

  package init(named: [String] = []) { self.named = Set(named) }

  /// Those of the names that the function's file, path or module has.
  package func matches(_ frame: Frame) -> Set<String> {
    named.intersection([frame.image, frame.imageName, frame.module].compactMap(\.self))
  }

  /// Whether the function is own code.
  ///
  /// - Parameter isOwnSource: whether its source says that it is no other package's (``isOwnSource(_:hasLines:)``).
  func contains(_ frame: Frame, isOwnSource: Bool) -> Bool {
    if !named.isEmpty, !matches(frame).isEmpty { return true }
    guard !frame.isSystem, let image = frame.image, !Self.systemFolders.contains(where: image.hasPrefix) else {
      return false
    }
    return isOwnSource
  }

  /// Whether a function's source says that it is no other package's, as far as anything says so.
  ///
  /// - Parameters:
  ///   - declared: where its source begins; nil where it has none or that is unknown.
  ///   - hasLines: whether the file's debug information would say so.
  static func isOwnSource(_ declared: SourceLocation?, hasLines: Bool) -> Bool {
    guard let source = declared?.path else { return !hasLines }
    return !checkouts.contains(where: source.contains)
  }

  /// Where systems keep libraries. Programs lie elsewhere.
  private static let systemFolders = ["/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/", "/usr/local/lib/", "/System/"]
  /// Where SwiftPM and Xcode keep the sources of packages.
  private static let checkouts = ["/.build/checkouts/", "/SourcePackages/checkouts/"]
}
