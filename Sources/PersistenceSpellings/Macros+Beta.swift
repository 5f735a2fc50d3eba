// As the betas of 2023 spelled it.

/// The first spelling of what `@Model` adds to each property that is stored. It adds nothing itself.
@available(*, deprecated, message: "leave it out: @Model adds what a property needs")
@attached(peer)
public macro PersistedProperty() = #externalMacro(module: "OpenSwiftDataMacros", type: "AttributePropertyMacro")
