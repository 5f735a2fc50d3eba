import SwiftData

/// A public model that another module uses.
@Model public final class Account {
  @Attribute(.unique) public var id: UUID
  public var name: String
  public private(set) var balance: Decimal = 0
  public let opened: Date
  public var kind: Kind = Kind.current
  @Relationship(deleteRule: .cascade, inverse: \Booking.account) public var bookings: [Booking] = []
  public var branch: Branch?
  var note = "internal"

  public enum Kind: String, Codable, Sendable { case current, savings }

  /// A struct with a private member, which other modules cannot access.
  public struct Branch: Codable, Equatable, Sendable {
    public var city: String
    private var secret: Int?

    public init(city: String, secret: Int?) {
      self.city = city
      self.secret = secret
    }
  }

  public init(id: UUID = UUID(), name: String, opened: Date) {
    self.id = id
    self.name = name
    self.opened = opened
  }

  public func book(_ amount: Decimal) {
    balance += amount
    bookings.append(Booking(amount: amount))
  }
}

@Model public class Booking {
  public var amount: Decimal
  public var account: Account?

  public init(amount: Decimal) { self.amount = amount }
}

/// A public schema with which other modules open containers.
public enum BankSchema: VersionedSchema {
  public static var versionIdentifier: Schema.Version { Schema.Version(1, 0, 0) }
  public static var models: [any PersistentModel.Type] { [Account.self, Booking.self] }
}

/// A public model of which other modules declare subclasses.
@Model open class OpenMemo {
  open var text: String
  public internal(set) var isRead = false

  public init(text: String) { self.text = text }

  public func read() { isRead = true }
}
