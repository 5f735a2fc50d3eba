#if !canImport(Darwin)
  import Foundation

  /// The name under which a value transformer is registered. On Apple's systems, the type is Foundation's.
  public struct NSValueTransformerName: RawRepresentable, Hashable, Sendable {
    /// The name as a string.
    public let rawValue: String

    /// Creates a name from a string.
    ///
    /// - Parameter rawValue: The name as a string.
    public init(_ rawValue: String) {
      self.rawValue = rawValue
    }

    /// Creates a name from a string.
    ///
    /// - Parameter rawValue: The name as a string.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }
  }

  extension NSValueTransformerName {
    /// The transformer that negates a Boolean.
    public static let negateBooleanTransformerName = NSValueTransformerName("NSNegateBoolean")
    /// The transformer that returns whether a value is nil.
    public static let isNilTransformerName = NSValueTransformerName("NSIsNil")
    /// The transformer that returns whether a value is not nil.
    public static let isNotNilTransformerName = NSValueTransformerName("NSIsNotNil")
    /// The transformer that unarchives data with secure coding, and archives objects in reverse.
    public static let secureUnarchiveFromDataTransformerName = NSValueTransformerName("NSSecureUnarchiveFromData")
  }

  /// Converts values to other values, and back if the conversion is reversible.
  ///
  /// Replaces Foundation's class, which exists on Apple's systems only. For an attribute with `.transformable(by:)`, a
  /// store calls the method that returns data when it writes rows, and the other one when it reads rows.
  ///
  /// ```swift
  /// final class ColorTransformer: ValueTransformer {
  ///   override func transformedValue(_ value: Any?) -> Any? { (value as? Color)?.data }
  ///   override func reverseTransformedValue(_ value: Any?) -> Any? { (value as? Data).flatMap(Color.init) }
  /// }
  /// ```
  ///
  /// The class and its subclasses are nonisolated in every module, because rows are read and written on any thread.
  nonisolated open class ValueTransformer: NSObject {
    /// Creates a transformer. Required, because the store creates an instance of the type that an attribute names.
    public required override init() {
      super.init()
    }

    /// The class of the transformed values.
    open class func transformedValueClass() -> AnyClass { NSObject.self }

    /// Whether the transformation is reversible.
    open class func allowsReverseTransformation() -> Bool { true }

    /// Transforms a value. The default implementation returns the value unchanged.
    ///
    /// - Parameter value: The value to transform.
    /// - Returns: The transformed value; nil if there is none.
    open func transformedValue(_ value: Any?) -> Any? { value }

    /// Transforms a value in reverse.
    ///
    /// As in Foundation, the default calls ``transformedValue(_:)`` if the transformer is reversible.
    ///
    /// - Parameter value: A transformed value.
    /// - Returns: The original value; nil if the transformer is not reversible.
    open func reverseTransformedValue(_ value: Any?) -> Any? {
      Self.allowsReverseTransformation() ? transformedValue(value) : nil
    }

    /// Registers a transformer under a name. It replaces the transformer that was registered before. Thread-safe.
    ///
    /// - Parameters:
    ///   - transformer: The transformer; nil removes the registration.
    ///   - name: The name.
    open class func setValueTransformer(_ transformer: ValueTransformer?, forName name: NSValueTransformerName) {
      TransformerRegistry.shared.set(transformer, for: name)
    }

    /// The names of all registered transformers, sorted. Thread-safe.
    open class func valueTransformerNames() -> [NSValueTransformerName] {
      TransformerRegistry.shared.names
    }
  }

  /// Declares an initialiser that returns an existing object. This is possible in a protocol, but not in a class.
  public protocol RegisteredValueTransformer {}

  extension ValueTransformer: RegisteredValueTransformer {}

  extension RegisteredValueTransformer {
    /// Returns the transformer that is registered under a name. Thread-safe.
    ///
    /// - Parameter name: The name. If no transformer of this class is registered under it, the result is nil.
    public init?(forName name: NSValueTransformerName) {
      // Two statements, because the optimiser miscompiles a cast of the optional to Self and dereferences nil.
      guard let registered = TransformerRegistry.shared.transformer(for: name) else { return nil }
      guard let transformer = registered as? Self else { return nil }
      self = transformer
    }
  }

  /// Unarchives objects from data, and archives objects to data, with secure coding.
  nonisolated open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes to which the root object of an archive may belong.
    open class var allowedTopLevelClasses: [AnyClass] {
      [
        NSArray.self, NSDictionary.self, NSSet.self, NSString.self, NSNumber.self, NSDate.self, NSData.self,
        NSURL.self, NSUUID.self, NSNull.self,
      ]
    }

    /// Unarchives an object.
    ///
    /// - Parameter value: The archive, as data.
    /// - Returns: The object; nil if the value is no data, or if the object would not be of an allowed class.
    open override func transformedValue(_ value: Any?) -> Any? {
      guard let data = value as? Data else { return nil }
      return try? NSKeyedUnarchiver.unarchivedObject(ofClasses: Self.allowedTopLevelClasses, from: data)
    }

    /// Archives an object.
    ///
    /// - Parameter value: The object.
    /// - Returns: The archive, as data; nil if the value is nil, or if it cannot be archived with secure coding.
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

  /// The registered transformers, by name.
  ///
  /// Unchecked: the lock guards the dictionary. Like Foundation's, the transformers are called on any thread.
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
      let former = lock.withLock { () -> ValueTransformer? in
        defer { transformers[name] = transformer }
        return transformers[name]
      }
      // The transformer is released after the lock, because its deinit may use the registry.
      withExtendedLifetime(former) {}
    }

    func transformer(for name: NSValueTransformerName) -> ValueTransformer? {
      lock.withLock { transformers[name] }
    }
  }
#endif
