import Foundation

/// One line that says what is going on, on standard error and only for a person.
struct Progress {
  private let isShown = isatty(STDERR_FILENO) == 1

  /// Replaces the line.
  func show(_ text: String) {
    write("\r\u{1B}[K\(text)…")
  }

  /// Takes the line away.
  func clear() {
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    guard isShown else { return }
    FileHandle.standardError.write(Data(text.utf8))
  }
}
