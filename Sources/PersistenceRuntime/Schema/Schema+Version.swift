extension Schema {
  /// The number of a version of a schema, ordered by its three parts from left to right.
  public struct Version: Codable, Comparable, CustomStringConvertible, Hashable, Sendable {
    /// The part that counts most.
    public let major: Int
    /// The part between the two others.
    public let minor: Int
    /// The part that counts least.
    public let patch: Int

    /// Makes a version of its three parts.
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

    /// The three parts with dots between them.
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
