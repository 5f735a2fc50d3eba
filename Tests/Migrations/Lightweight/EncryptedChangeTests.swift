import ConformanceSupport
import SwiftData
import Testing

#if Encryption
  private enum Whole {
    @Model final class Account {
      var name: String
      @Attribute(.encrypt) var balance: Int
      @Attribute(.encrypt) var ceiling: UInt64 = UInt64.max
      @Attribute(.encrypt) var small: Int8 = -128
      @Attribute(.encrypt) var rate: Float = 0.1
      @Attribute(.encrypt) var bonus: Int?
      var visits: Int = 0
      init(_ name: String, _ balance: Int) { (self.name, self.balance) = (name, balance) }
    }
  }

  /// The next version: all numbers are encrypted, some of them for the first time.
  private enum Sealed {
    @Model final class Account {
      var name: String
      @Attribute(.encrypt) var balance: Double
      @Attribute(.encrypt) var ceiling: Decimal
      @Attribute(.encrypt) var small: Int
      @Attribute(.encrypt) var rate: Double
      @Attribute(.encrypt, originalName: "bonus") var extra: Decimal?
      @Attribute(.encrypt) var visits: Double
      init(_ name: String) { (self.name, balance, ceiling, small, rate, visits) = (name, 0, 0, 0, 0, 0) }
    }
  }

  /// Another next version: no number is encrypted any more.
  private enum Opened {
    @Model final class Account {
      var name: String
      var balance: Double
      var ceiling: Decimal
      var small: Int
      var rate: Double
      var bonus: Double?
      var visits: Int = 0
      init(_ name: String) { (self.name, balance, ceiling, small, rate) = (name, 0, 0, 0, 0) }
    }
  }

  private func byName<T: PersistentModel>(
    _ context: ModelContext, _ name: KeyPath<T, String> & Sendable
  ) throws -> [T] {
    try context.fetch(FetchDescriptor<T>(sortBy: [SortDescriptor(name)]))
  }

  @Suite("Lightweight widening of encrypted numbers")
  struct EncryptedWideningTests {
    private let key = ModelConfiguration.EncryptionKey()

    private func configure(_ configuration: inout ModelConfiguration) { configuration.encryptionKey = key }

    private func store(balance: Int = -9_007_199_254_740_992, visits: Int = 0) throws -> MigratedStore {
      let store = try MigratedStore()
      try store.use([Whole.Account.self], configure) { context in
        let account = Whole.Account("a", balance)
        account.visits = visits
        context.insert(account)
        let other = Whole.Account("b", 12)
        (other.ceiling, other.bonus) = (7, 3)
        context.insert(other)
      }
      return store
    }

    @Test("encrypted integers become encrypted floating-point numbers and decimals, even if renamed or newly encrypted")
    func staySealed() throws {
      let store = try store(visits: 5)
      try store.migrate(to: [Sealed.Account.self], configure) { context in
        let accounts = try byName(context, \Sealed.Account.name)
        #expect(accounts.map(\.balance) == [-9_007_199_254_740_992, 12])
        #expect(accounts.map(\.ceiling) == [Decimal(UInt64.max), 7])
        #expect(accounts.map(\.small) == [-128, -128])
        #expect(accounts.map(\.rate) == [Double(Float(0.1)), Double(Float(0.1))])
        #expect(accounts.map(\.extra) == [nil, 3])
        #expect(accounts.map(\.visits) == [5, 0])
      }
      #expect(try store.classes(of: ["balance", "visits"], in: "Account") == [["blob", "blob"]])
    }

    @Test("encrypted integers become unencrypted floating-point numbers and decimals")
    func opened() throws {
      let store = try store()
      try store.migrate(to: [Opened.Account.self], configure) { context in
        let accounts = try byName(context, \Opened.Account.name)
        #expect(accounts.map(\.balance) == [-9_007_199_254_740_992, 12])
        #expect(accounts.map(\.ceiling) == [Decimal(UInt64.max), 7])
        #expect(accounts.map(\.small) == [-128, -128])
        #expect(accounts.map(\.rate) == [Double(Float(0.1)), Double(Float(0.1))])
        #expect(accounts.map(\.bonus) == [nil, 3])
      }
      #expect(try store.classes(of: ["balance", "ceiling"], in: "Account") == [["real", "text"]])
    }

    @Test("if an encrypted number would be rounded, nothing changes, and the error does not contain the number")
    func rounding() throws {
      let versions: [[any PersistentModel.Type]] = [[Sealed.Account.self], [Opened.Account.self]]
      for number in [9_007_199_254_740_993, Int.max] {
        let store = try store(balance: number)
        for models in versions {
          let error = try store.refusal(of: models, configure)
          let text = "\(error)"
          #expect(error == .modelValidationFailure && !text.contains("\(number)"))
          #expect(text.contains("Account.balance became a floating-point number, which would round what row "))
        }
        try store.use([Whole.Account.self], configure) { context in
          try #expect(byName(context, \Whole.Account.name).map(\.balance) == [number, 12])
        }
      }
    }

    @Test("if a newly encrypted number would be rounded, the migration throws")
    func roundingInward() throws {
      let error = try store(visits: .max).refusal(of: [Sealed.Account.self], configure)
      #expect(error == .modelValidationFailure && "\(error)".contains("Account.visits"))
    }
  }

  private enum Fleet {
    @Model class Vehicle {
      var name: String
      @Attribute(.encrypt) var mileage: Int
      init(_ name: String, _ mileage: Int) { (self.name, self.mileage) = (name, mileage) }
    }
    @Model final class Truck: Vehicle {
      @Attribute(.encrypt) var load: Int16?
      init(_ name: String, _ mileage: Int, load: Int16?) {
        self.load = load
        super.init(name, mileage)
      }
    }
    static let models: [any PersistentModel.Type] = [Vehicle.self, Truck.self]
  }

  private enum WideFleet {
    @Model class Vehicle {
      var name: String
      @Attribute(.encrypt) var mileage: Double
      init(_ name: String) { (self.name, mileage) = (name, 0) }
    }
    @Model final class Truck: Vehicle {
      @Attribute(.encrypt) var load: Double?
      override init(_ name: String) { super.init(name) }
    }
    static let models: [any PersistentModel.Type] = [Vehicle.self, Truck.self]
  }

  private enum Lax {
    @Model final class Letter {
      var name: String
      @Attribute(.encrypt) var bonus: Int?
      var tip: Int?
      @Attribute(.encrypt) var fee: Int?
      @Attribute(.encrypt) var token: UUID?
      var seal: Data?
      @Attribute(.ephemeral) var draft: Int = 6
      init(_ name: String) { self.name = name }
    }
  }

  private enum Strict {
    @Model final class Letter {
      var name: String
      @Attribute(.encrypt, originalName: "bonus") var extra: Double = 7
      @Attribute(.encrypt) var tip: Int = 7
      var fee: Int = 7
      @Attribute(.encrypt, originalName: "token") var code: UUID = UUID()
      @Attribute(.encrypt) var seal: Data = Data([9])
      @Attribute(.encrypt) var draft: Int = 7
      init(_ name: String) { self.name = name }
    }
  }

  @Suite("Encrypted values that change in several ways at once")
  struct EncryptedChangeTests {
    private let key = ModelConfiguration.EncryptionKey()

    private func configure(_ configuration: inout ModelConfiguration) { configuration.encryptionKey = key }

    @Test("the migration widens the numbers of all classes of a hierarchy, and inherited numbers only once")
    func hierarchy() throws {
      let store = try MigratedStore()
      try store.use(Fleet.models, configure) { context in
        context.insert(Fleet.Vehicle("a", 10))
        context.insert(Fleet.Truck("b", 20, load: -3))
        context.insert(Fleet.Truck("c", 30, load: nil))
      }
      try store.migrate(to: WideFleet.models, configure) { context in
        try #expect(byName(context, \WideFleet.Vehicle.name).map(\.mileage) == [10, 20, 30])
        try #expect(byName(context, \WideFleet.Truck.name).map(\.load) == [-3, nil])
      }
    }

    @Test("properties that become required or persistent keep their values or get defaults, even if they are renamed")
    func required() throws {
      let store = try MigratedStore()
      let known = UUID()
      try store.use([Lax.Letter.self], configure) { context in
        let letter = Lax.Letter("a")
        (letter.bonus, letter.tip, letter.fee) = (1, 2, 3)
        (letter.token, letter.seal) = (known, Data([4]))
        context.insert(letter)
        for name in ["b", "c"] { context.insert(Lax.Letter(name)) }
      }
      try store.migrate(to: [Strict.Letter.self], configure) { context in
        let letters = try byName(context, \Strict.Letter.name)
        #expect(letters.map(\.extra) == [1, 7, 7])
        #expect(letters.map(\.tip) == [2, 7, 7])
        #expect(letters.map(\.fee) == [3, 7, 7])
        #expect(letters.map(\.seal) == [Data([4]), Data([9]), Data([9])])
        #expect(letters.map(\.draft) == [7, 7, 7])
        // The default of `code` is computed for each row, so the rows without a code get different values.
        #expect(letters.first?.code == known && Set(letters.map(\.code)).count == 3)
      }
      #expect(try store.classes(of: ["tip", "seal"], in: "Letter") == [["blob", "blob"]])
    }
  }
#endif
