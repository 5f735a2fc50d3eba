/// A save that a concurrent transaction made fail and that has to be run again. Nothing of it is written, and its
/// changes are pending as before. It never leaves the context.
struct RetryableFailure: Error {}
