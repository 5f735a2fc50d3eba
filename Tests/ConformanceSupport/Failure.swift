/// What a block that must fail throws.
package struct Failure: Error {
  package init() {}
}
