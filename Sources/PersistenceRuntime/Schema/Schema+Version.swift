extension Schema {
  /// The version number of a schema. Apple's type.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    /// The most significant part.
    public let major: Int
    /// The middle part.
    public let minor: Int
    /// The least significant part.
    public let patch: Int

    /// Creates a version number.
    ///
    /// - Parameters:
    ///   - major: The most significant part.
    ///   - minor: The middle part.
    ///   - patch: The least significant part.
    public init(_ major: Int, _ minor: Int, _ patch: Int) {
      self.major = major
      self.minor = minor
      self.patch = patch
    }

    @inlinable
    public static func == (lhs: Version, rhs: Version) -> Bool {
      !(lhs < rhs) && !(lhs > rhs)
    }

    public static func < (lhs: Version, rhs: Version) -> Bool {
      (lhs.major, lhs.minor, lhs.patch) < (rhs.major, rhs.minor, rhs.patch)
    }

    /// The parts separated by dots.
    public var description: String { "\(major).\(minor).\(patch)" }
  }
}

/// One version of an application's models, with the number that orders it among the others.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version. Models that these relate to are found by themselves.
  static var models: [any PersistentModel.Type] { get }
  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}
