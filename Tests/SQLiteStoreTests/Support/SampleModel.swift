import PersistenceCore

/// The model type of the sample entities. Tests write and read their rows without creating objects of this type.
@Model
final class SampleModel {
  init() {}
}
