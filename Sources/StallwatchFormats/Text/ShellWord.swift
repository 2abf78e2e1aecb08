import StallwatchReport

/// Quotes file names in commands that people copy from a text.
package enum ShellWord {
  /// `word`, quoted so that a shell reads it as one word.
  package static func quoted(_ word: String) -> String {
    let isPlain = !word.isEmpty && word.utf8.allSatisfy(plain.contains)
    return isPlain ? word : "'" + DisplayText.replaced(word) { $0 == "'" ? "'\\''" : nil } + "'"
  }

  private static let plain = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+=:,@%".utf8)
}
