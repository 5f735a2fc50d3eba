final class Trip {
  @_PersistedProperty(3) var name: String
}
