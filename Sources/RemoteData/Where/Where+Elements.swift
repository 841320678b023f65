extension Where {
    /// Which elements an array is to have.
    ///
    /// Elements are compared as `=` compares (``Value/order(_:_:)``): 1 is the same as 1.0 and as `true`, text is compared byte by
    /// byte, and an array or object within the array is the same as its JSON text. Null is the same as nothing, neither as an element nor
    /// as a value looked for.
    public enum Elements: Hashable, Sendable {
        /// One of the values at least; of no values, none.
        case any([Value])
        /// Every one of the values; of no values, whatever the array holds.
        case all([Value])

        /// The values looked for; never ``Value/json(_:)``.
        public var values: [Value] {
            switch self {
            case .any(let values), .all(let values): values
            }
        }
    }
}

extension Where.Elements: CustomStringConvertible {
    /// The values with their operator, such as `CONTAINS ANY ('a', 2)`.
    public var description: String {
        let list = values.map { "\(Where.Operand.literal($0))" }
        return switch self {
        case .any where list.count == 1: "CONTAINS " + list[0]
        case .any: "CONTAINS ANY (" + list.joined(separator: ", ") + ")"
        case .all: "CONTAINS ALL (" + list.joined(separator: ", ") + ")"
        }
    }
}
