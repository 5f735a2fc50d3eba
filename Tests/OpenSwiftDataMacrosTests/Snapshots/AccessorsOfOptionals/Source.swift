final class Trip {
  @_PersistedProperty(0) var note: String?
  @_PersistedProperty(1) var owner: Person!
}
