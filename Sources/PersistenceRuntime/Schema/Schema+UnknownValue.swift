import PersistenceSupport

extension Schema {
  /// Stands for a type that a decoded schema names and this program does not know.
  ///
  /// There are no values of it.
  public struct UnknownValue: Codable, Hashable, Sendable {
    private init() {}

    public init(from decoder: any Decoder) throws {
      throw SwiftDataError(.valueNotStorable, "A value whose type this program does not know cannot be read.")
    }
  }
}
