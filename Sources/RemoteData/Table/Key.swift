/// The place of a row in a sort order: its values for the sort terms, then its id.
///
/// Pages are asked for after a key, so a page starts where the last one ended however many rows came or went.
public struct Key: Hashable, Sendable {
    /// The values of the sort terms, in their order.
    public let values: [Value]
    /// The row's id, which makes the order total.
    public let id: RowID
    /// Where the row sorts, in a collection over a table whose order cannot be reproduced.
    package internal(set) var place: SortPlace?
    /// How sure it is that the row was there.
    var certainty = Certainty.sure

    /// How sure it is that a row was where a key says.
    enum Certainty: Hashable, Sendable {
        case sure
        /// Others may have come between it and its neighbours, or it may have moved.
        case vague
        /// It was somewhere behind one place and in front of another; nil for the start and the end.
        case within(SortPlace?, SortPlace?)
    }

    /// Creates a key.
    public init(values: [Value], id: RowID) {
        self.values = values
        self.id = id
    }

    /// The key of a row in a sort order.
    ///
    /// - Complexity: O(bytes of the row) for each term.
    public init(_ row: Row, sort: [SortTerm]) {
        self.init(values: sort.map { row[$0.column] }, id: row.id)
        place = row.place
    }

    /// The same key at a place.
    package func at(_ place: SortPlace?) -> Key {
        var key = self
        key.place = place
        return key
    }

    /// Whether two keys have the same values and id.
    public static func == (left: Key, right: Key) -> Bool {
        left.id == right.id && left.values == right.values
    }

    /// Hashes the values and the id.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(id)
        hasher.combine(values)
    }

    /// The order of two keys: by each term in turn, then by id ascending.
    public static func order(_ left: Key, _ right: Key, sort: [SortTerm]) -> Order {
        if let first = left.place, let second = right.place, first != second {
            // What was forgotten for a while may have come to another place.
            return left == right ? .same : Order(first, second)
        }
        for (index, term) in sort.enumerated() where index < left.values.count && index < right.values.count {
            let order = term.order(left.values[index], right.values[index])
            if order != .same { return order }
        }
        return Value.order(left.id.value, right.id.value)
    }

    /// The key on the wire: a JSON array of the sort values and the id.
    public var json: [UInt8] {
        let parts = (values + [id.value]).map(\.json)
        return [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
    }

    /// Reads a key from the wire; `termCount` sort values and an id.
    ///
    /// - Throws: ``RemoteDataError`` with code `invalidRequest` when it is not that.
    public init(json: ArraySlice<UInt8>, termCount: Int) throws(RemoteDataError) {
        guard let key = Self(json: json), key.values.count == termCount else {
            throw RemoteDataError(
                .invalidRequest,
                "A key is a JSON array of \(termCount) sort values and the id of a row."
            )
        }
        self = key
    }

    /// Reads a key of any sort order from the wire; nil when it is none.
    package init?(json: ArraySlice<UInt8>) {
        guard var values = try? JSONObject.elementValues(of: json),
            let id = values.popLast().flatMap({ RowID($0) })
        else { return nil }
        self.init(values: values, id: id)
    }
}

/// A key that is read when it is asked for, as it mostly is not.
package struct UnreadKey: Sendable, Hashable {
    private enum Form {
        indirect case read(Key)
        case unread(ArraySlice<UInt8>)
    }

    private let form: Form

    /// The key.
    package var key: Key? {
        switch form {
        case .read(let key): key
        case .unread(let json): Key(json: json)
        }
    }

    var isRead: Bool { if case .read = form { true } else { false } }

    package init(_ key: Key) { form = .read(key) }

    /// Takes a key of any sort order from the wire, which is checked but not read; nil when it is none.
    package init?(json: ArraySlice<UInt8>) {
        guard let last = try? JSONObject.lastElement(of: json), FoundID(json.span, last) != nil else {
            return nil
        }
        form = .unread(json)
    }

    package static func == (left: UnreadKey, right: UnreadKey) -> Bool { left.key == right.key }

    package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}
