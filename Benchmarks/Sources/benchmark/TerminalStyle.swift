import Foundation

/// Whether output has colours, which are used only on a terminal.
enum TerminalStyle {
  case plain
  case coloured

  /// The style of standard output: coloured if it is a terminal, unless the user has disabled colours.
  static var ofStandardOutput: TerminalStyle {
    let environment = ProcessInfo.processInfo.environment
    let isPlain = isatty(STDOUT_FILENO) != 1 || environment["NO_COLOR"] != nil || environment["TERM"] == "dumb"
    return isPlain ? .plain : .coloured
  }

  /// Returns the text in the colour of the tone.
  func apply(_ tone: TableCell.Tone, to text: String) -> String {
    switch tone {
    case .plain: text
    case .quiet: wrap(text, "2")
    case .verdict(.withinGoal): wrap(text, "32")
    case .verdict(.withinLimit): wrap(text, "33")
    case .verdict(.aboveLimit): wrap(text, "31")
    }
  }

  /// Returns the text in the style of a heading.
  func heading(_ text: String) -> String {
    wrap(text, "1")
  }

  private func wrap(_ text: String, _ code: String) -> String {
    self == .plain ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }
}
