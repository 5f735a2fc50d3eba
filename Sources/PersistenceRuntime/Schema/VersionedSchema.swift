/// One version of an application's models, with the number that orders it among the others.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version. Models that these relate to are found by themselves.
  static var models: [any PersistentModel.Type] { get }
  /// The number of this version.
  static var versionIdentifier: Schema.Version { get }
}
