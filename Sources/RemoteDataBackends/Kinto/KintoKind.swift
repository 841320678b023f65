import RemoteData

/// The kinds of values that Kinto sorts apart, in its order: text, numbers, truth values, lists and objects.
///
/// This library sorts numbers before text, and truth values among numbers, so that rows of several kinds
/// cannot be put in Kinto's order here.
enum KintoKind: Sendable, Hashable {
    case text
    case number
    case truth
    case container

    /// The kind of a value; nil for none.
    init?(_ value: Value) {
        switch value {
        case .null: return nil
        case .text: self = .text
        case .integer, .double: self = .number
        case .bool: self = .truth
        case .json: self = .container
        }
    }
}

/// The kinds of the latest values of the columns of an order.
struct KintoKinds: Sendable {
    private var kinds: [ColumnPath: KintoKind] = [:]

    /// Notes a value of a column.
    ///
    /// - Returns: Whether it sorts here as it does in Kinto, beside the value that was noted last.
    mutating func note(_ value: Value, in column: ColumnPath) -> Bool {
        guard let kind = KintoKind(value) else { return true }
        let last = kinds.updateValue(kind, forKey: column)
        return kind != .container && (last ?? kind) == kind
    }
}

extension RemoteDataError {
    static func severalKinds(in column: ColumnPath) -> RemoteDataError {
        RemoteDataError(
            .invalidRequest,
            "The column \(column) holds lists, objects or values of several kinds, which Kinto sorts in an"
                + " order of its own. Sort by a column that holds text alone, or numbers, or truth values."
        )
    }
}
