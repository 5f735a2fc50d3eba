/// The namespace of declarations that are public only for generated code, or because members of Apple's types name
/// them. A single name avoids ambiguity with names of other modules.
///
/// Macro expansions are compiled in the user's module, so what they call has to be public. Do not use it directly: it
/// may change with every release.
public enum _PersistenceRuntime {}
