final class Trip {
  @_PersistedProperty(0) var `default`: Bool
}
