/// Holds what is public for generated code, or because members of Apple's types name it: one name, which stands in the way of
/// no other.
///
/// Expansions of macros are code of the module that they are in, so what they call has to be public. It is not to be used by
/// hand, and may change with every release.
public enum _PersistenceRuntime {}
