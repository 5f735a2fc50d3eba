extension Profile {
  /// Parses callgrind's output of `--dump-line=no --compress-strings=no --compress-pos=no`.
  public init(callgrind text: String) throws {
    var reader = CallgrindReader()
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) { try reader.read(Substring(line)) }
    self = try reader.profile()
  }
}

/// Parses the lines. `ob=` and `fn=` name the library and function of the following costs. The line after `calls=` has
/// the cost of the call, not of the function itself.
private struct CallgrindReader {
  private var object: Substring = ""
  private var function: Substring = ""
  private var isCall = false
  private var counts: [String: Int] = [:]
  private var total: Int?

  init() {}

  mutating func read(_ line: Substring) throws {
    if line.hasPrefix("fn=") {
      function = line.dropFirst(3)
    } else if line.hasPrefix("ob=") {
      object = line.dropFirst(3)
    } else if line.hasPrefix("calls=") {
      isCall = true
    } else if line.hasPrefix("totals: ") {
      total = Int(line.dropFirst(8))
    } else if line.first?.isNumber == true {
      try addCost(line)
    }
  }

  /// The line is a position and a count; a count of 0 is left out.
  private mutating func addCost(_ line: Substring) throws {
    if isCall {
      isCall = false
      return
    }
    let numbers = line.split(separator: " ")
    guard numbers.count <= 2 else { throw GaugeError.unreadableDump(String(line)) }
    guard numbers.count == 2 else { return }
    guard let count = Int(numbers[1]) else { throw GaugeError.unreadableDump(String(line)) }
    counts[FunctionName.of(function, in: object), default: 0] += count
  }

  /// Compares the sum with callgrind's total, so that any parsing error is detected.
  func profile() throws -> Profile {
    let profile = Profile(counts)
    guard let total else { throw GaugeError.unreadableDump("no totals") }
    guard profile.total == total else {
      throw GaugeError.unreadableDump("functions come to \(profile.total), totals to \(total)")
    }
    return profile
  }
}
