/// Something that must not be so, and is for some input.
public struct FuzzFinding: Error, CustomStringConvertible {
    /// What is so, and must not be.
    public let description: String

    init(_ description: String) { self.description = description }
}

/// Throws a finding unless something is so.
func require(_ isSo: Bool, _ otherwise: @autoclosure () -> String) throws(FuzzFinding) {
    guard isSo else { throw FuzzFinding(otherwise()) }
}

/// The value, or a finding when there is none.
func require<Value>(_ value: Value?, _ otherwise: @autoclosure () -> String) throws(FuzzFinding) -> Value {
    guard let value else { throw FuzzFinding(otherwise()) }
    return value
}
