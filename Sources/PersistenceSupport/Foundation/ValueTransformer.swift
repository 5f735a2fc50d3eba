#if !canImport(Darwin)
  import Foundation

  /// The name by which a value transformer is registered.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as text.
    public let rawValue: String

    /// Makes a name of a text.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    /// Makes a name of a text.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  extension NSValueTransformerName {
    /// The name of the transformer that turns true into false and false into true.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// The name of the transformer that says whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// The name of the transformer that says whether there is a value.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// The name of the transformer between data and the objects that are archived in it securely.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
  }

  /// Turns values into others, and back where that is possible.
  ///
  /// Foundation has this class on Apple's systems only; here it is with the same interface. A transformer that a
  /// store uses turns the value of a property into data with ``reverseTransformedValue(_:)`` or
  /// ``transformedValue(_:)``, whichever way it was written.
  ///
  /// Belongs to no actor, and so do its subclasses, wherever they are declared: rows are read and written on any thread.
  nonisolated open class ValueTransformer: NSObject {
    /// Makes a transformer. Required, so that one can be made of a type that an attribute names.
    public required override init() {
      super.init()
    }

    /// The class of what the transformer makes.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformer also works backwards.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Returns what becomes of a value; the value itself, unless a subclass says otherwise.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Returns the value that becomes the given one.
    ///
    /// A subclass that works backwards and says nothing of its own is taken to be the same both ways, as
    /// Foundation's is.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
      Self.allowsReverseTransformation() ? transformedValue(value) : nil
    }

    /// Registers a transformer by a name, in place of any other of that name; nil removes the name.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      TransformerRegistry.shared.set(transformer, for: name)
    }

    /// The names of all transformers that are registered.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
      TransformerRegistry.shared.names
    }
  }

  /// Lets an initialiser return an object that exists already, which a class by itself cannot.
  public protocol RegisteredValueTransformer {}

  extension ValueTransformer: RegisteredValueTransformer {}

  extension RegisteredValueTransformer {
    /// Returns the transformer that is registered by a name.
    public init?(forName name: NSValueTransformerName) {
      // Two steps: the optimiser gets a cast of the optional itself to Self wrong, and follows its nil.
      guard let registered = TransformerRegistry.shared.transformer(for: name) else { return nil }
      guard let transformer = registered as? Self else { return nil }
      self = transformer
    }
  }

  /// Turns data into the objects that are archived in it, and objects into data, with secure coding.
  nonisolated open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes of the objects that may be at the top of an archive.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
        NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
    }

    open override func reverseTransformedValue(_ value: Any?) -> Any? {
      guard let value else { return nil }
      return try? NSKeyedArchiver.archivedData(withRootObject: value, requiringSecureCoding: true)
    }
  }

  private final class NegatingTransformer: ValueTransformer {
    override func transformedValue(_ value: Any?) -> Any? {
      (value as? Bool).map { !$0 }
    }
  }

  private final class NilTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { value == nil }
  }

  private final class NotNilTransformer: ValueTransformer {
    override class func allowsReverseTransformation() -> Bool { false }
    override func transformedValue(_ value: Any?) -> Any? { value != nil }
  }

  /// The transformers by name.
  ///
  /// Unchecked, since the compiler does not see that the lock guards the dictionary. The transformers themselves are
  /// used from any thread, as Foundation's are.
  private final class TransformerRegistry: @unchecked Sendable {
    static let shared = TransformerRegistry()

    private let lock = NSLock()
    private var transformers: [NSValueTransformerName: ValueTransformer] = [
      .negateBooleanTransformerName: NegatingTransformer(),
      .isNilTransformerName: NilTransformer(),
      .isNotNilTransformerName: NotNilTransformer(),
      .secureUnarchiveFromDataTransformerName: NSSecureUnarchiveFromDataTransformer(),
    ]

    var names: [NSValueTransformerName] {
      lock.withLock { transformers.keys.sorted { $0.rawValue < $1.rawValue } }
    }

    func set(_ transformer: ValueTransformer?, for name: NSValueTransformerName) {
      lock.withLock { transformers[name] = transformer }
    }

    func transformer(for name: NSValueTransformerName) -> ValueTransformer? {
      lock.withLock { transformers[name] }
    }
  }
#endif
