import PersistenceRuntime

extension Schema {
  /// Makes a schema of entities that were put together by hand.
  ///
  /// Superentities and inverses that are named on one side only are completed on the entities themselves.
  public convenience init(_ entities: Entity..., version: Version = Version(1, 0, 0)) {
    let all = EntityLinker.withSubentities(entities)
    EntityLinker(entities: all).linkByName()
    RelationshipLinker(entities: all).link()
    self.init(entities: all, version: version)
  }

  /// Reads a schema from models, from their superclasses, and from the models that these relate to.
  ///
  /// Subclasses of a listed model have to be listed themselves: nobody can say which there are.
  public convenience init(_ types: [any PersistentModel.Type], version: Version = Version(1, 0, 0)) {
    var builder = SchemaBuilder()
    builder.build(types)
    self.init(entities: builder.entities, version: version, problems: builder.problems)
  }

  /// Reads a schema from models, and from the models that these relate to.
  public convenience init(_ types: any PersistentModel.Type..., version: Version = Version(1, 0, 0)) {
    self.init(types, version: version)
  }

  /// Reads the schema of a version of the models.
  public convenience init(versionedSchema: any VersionedSchema.Type) {
    self.init(versionedSchema.models, version: versionedSchema.versionIdentifier)
  }
}
