/// Yes, no, or not known: what a condition is for a row in SQL's three-valued logic, and what a collection knows of a table.
public enum Truth: Sendable, Hashable, CaseIterable {
    /// It holds.
    case `true`
    /// It does not hold.
    case `false`
    /// It cannot be told; of a condition, because of a null.
    case unknown

    /// True or false.
    public init(_ value: Bool) { self = value ? .true : .false }

    /// Both hold: false when either is false, otherwise unknown when either is unknown.
    public func and(_ other: @autoclosure () -> Truth) -> Truth {
        switch self {
        case .false: .false
        case .true: other()
        case .unknown: other() == .false ? .false : .unknown
        }
    }

    /// At least one holds: true when either is true, otherwise unknown when either is unknown.
    public func or(_ other: @autoclosure () -> Truth) -> Truth {
        switch self {
        case .true: .true
        case .false: other()
        case .unknown: other() == .true ? .true : .unknown
        }
    }

    /// It does not hold; unknown stays unknown.
    public var negated: Truth {
        switch self {
        case .true: .false
        case .false: .true
        case .unknown: .unknown
        }
    }
}
