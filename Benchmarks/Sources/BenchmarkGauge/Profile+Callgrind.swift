extension Profile {
  /// Parses the file that callgrind writes with the options `--dump-line=no --compress-strings=no --compress-pos=no`.
  public init(callgrind text: String) throws {
    var reader = CallgrindReader()
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) { try reader.read(Substring(line)) }
    self = try reader.profile()
  }
}

/// Parses the lines of callgrind's file. `ob=` and `fn=` name the library and the function to which the following costs
/// belong. The line after `calls=` contains the cost of the called function and is skipped.
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

  /// Parses a line of a position and a count. Callgrind omits a count of 0.
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

  /// Returns the profile. Throws if the sum of all counts differs from callgrind's total, because then a line was
  /// parsed incorrectly.
  func profile() throws -> Profile {
    let profile = Profile(counts)
    guard let total else { throw GaugeError.unreadableDump("no totals") }
    guard profile.total == total else {
      throw GaugeError.unreadableDump("functions come to \(profile.total), totals to \(total)")
    }
    return profile
  }
}
