// Names of the betas of 2023.

/// The first spelling of the macro that `@Model` adds to each stored property. It has no effect.
@available(*, deprecated, message: "leave it out: @Model adds what a property needs")
@attached(peer)
public macro PersistedProperty() = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")
