import PersistenceSupport

extension Schema {
  /// The placeholder for a type that a decoded schema names and this program does not know. Has no values.
  public struct UnknownValue: Codable, Hashable, Sendable {
    private init() {}

    public init(from decoder: any Decoder) throws {
      throw SwiftDataError(.valueNotStorable, "A value whose type this program does not know cannot be read.")
    }
  }
}
