/// One version of an application's models, for a migration plan. Apple's protocol.
public protocol VersionedSchema: SendableMetatype {
  /// The models of this version. Models related to them are included automatically.
  static var models: [any PersistentModel.Type] { get }
  /// The version number.
  static var versionIdentifier: Schema.Version { get }
}
