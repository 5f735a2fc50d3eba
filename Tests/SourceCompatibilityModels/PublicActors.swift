import SwiftData

/// A public model that is an actor. Other modules use the twins that the macro generates for the properties. Only the
/// model can set them.
@Model public actor Deposit {
  #Index<Deposit>([\.stars])
  public let number: Int
  public var name: String
  public var stars: Int = 0
  public var owner: Depositor?

  public init(number: Int, name: String, stars: Int, owner: Depositor?) {
    self.number = number
    self._name = name
    self._stars = stars
    self._owner = owner
  }
}

@Model public actor Depositor {
  public var name: String
  @Relationship(inverse: Deposit.keyPath(\.owner)) public var deposits: [Deposit] = []

  public init(name: String) { self._name = name }
}

/// A public model that is an actor and has encrypted properties.
@Model public actor SafeBox {
  public var label: String
  @Attribute(.encrypt) public var code: String
  @Attribute(.encrypt) public var hint: String?

  public init(label: String, code: String, hint: String?) {
    self._label = label
    self._code = code
    self._hint = hint
  }
}
