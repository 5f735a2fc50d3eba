/// A property of the machine or the run, such as the compiler's version, that changes the instruction counts of
/// unchanged sources.
public struct Condition: Equatable, Sendable {
  public let name: String
  public let value: String

  public init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }

  /// Describes the differences between the conditions of a stored table and those of this machine. If there are any,
  /// the counts are not comparable.
  public static func differences(of stored: [Condition], from here: [Condition]) -> [String] {
    let here = Dictionary(here.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    let stored = Dictionary(stored.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    return Set(here.keys).union(stored.keys).sorted().compactMap { name in
      guard here[name] != stored[name] else { return nil }
      return "\(name): the table has \(stored[name] ?? "nothing"), here is \(here[name] ?? "nothing")"
    }
  }
}
