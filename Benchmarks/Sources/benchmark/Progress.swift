import Foundation

/// A progress line on standard error, shown only on a terminal.
struct Progress {
  private let isShown = isatty(STDERR_FILENO) == 1

  /// Replaces the text of the line.
  func show(_ text: String) {
    write("\r\u{1B}[K\(text)…")
  }

  /// Removes the line.
  func clear() {
    write("\r\u{1B}[K")
  }

  private func write(_ text: String) {
    guard isShown else { return }
    FileHandle.standardError.write(Data(text.utf8))
  }
}
