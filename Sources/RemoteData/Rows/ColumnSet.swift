/// The columns a table has ever had: the names of its rows' members, and the paths into nested objects.
///
/// A clause that names another column is a mistake, and ``check(_:table:idColumn:)`` says so. Objects inside
/// arrays are not looked into.
public struct ColumnSet: Sendable {
    /// How many paths are kept; a set that is full knows no unknown columns.
    public static let countLimit = 10_000
    /// How many names the longest path kept has.
    public static let depthLimit = 8

    private var nodes = [Node(parent: 0, name: [])]
    /// The members of the last object, and whether none so far had an object inside it.
    private var (last, isFlat) = (JSONShape(), true)
    private var lastPlaces: [JSONShape.Place] = []

    /// A path, by the node of the object around it; node 0 stands for the row itself.
    private struct Node: Sendable {
        let parent: Int
        let name: [UInt8]
        var children: [Int] = []
        /// The children by name.
        var places: [[UInt8]: Int] = [:]
    }

    /// A set without columns.
    public init() {}

    /// A set of these columns and the objects they lie in.
    public init(_ paths: some Sequence<ColumnPath>) {
        for path in paths { insert(path) }
    }

    /// How many paths there are.
    public var count: Int { nodes.count - 1 }

    /// Whether there is none, as in a table that never had a row.
    public var isEmpty: Bool { count == 0 }

    /// Whether no more paths are kept.
    public var isFull: Bool { count >= Self.countLimit }

    /// Every path, in the order they were first seen; O(number of paths).
    public var paths: [ColumnPath] { nodes.indices.dropFirst().map(path) }

    /// Whether a column has been seen; a path longer than the depth limit counts by its beginning.
    ///
    /// The ACL counts as seen with all in it, which is of no interest here: the names of users and roles.
    ///
    /// - Complexity: O(length of the path).
    public func contains(_ path: ColumnPath) -> Bool {
        if path.names[0].hasSameBytes(as: ACL.column) { return true }
        var node = 0
        for name in path.names.prefix(Self.depthLimit) {
            guard let place = nodes[node].places[name.utf8Array] else { return false }
            node = nodes[node].children[place]
        }
        return true
    }

    private func path(_ node: Int) -> ColumnPath {
        var names: [String] = []
        var node = node
        while node != 0 {
            names.append(String(decoding: nodes[node].name, as: UTF8.self))
            node = nodes[node].parent
        }
        return ColumnPath(names: names.reversed())
    }
}

// Adding columns.
extension ColumnSet {
    /// Adds a column, and the objects it lies in; O(length of the path).
    public mutating func insert(_ path: ColumnPath) {
        var node = 0
        for name in path.names.prefix(Self.depthLimit) {
            let bytes = name.utf8Array
            if let place = nodes[node].places[bytes] {
                node = nodes[node].children[place]
            } else {
                guard let added = add(bytes, to: node) else { return }
                node = added
            }
        }
    }

    /// Adds the columns of a row.
    ///
    /// - Complexity: O(bytes of the row), without any allocation when the row has the shape of an earlier
    ///   one.
    /// - Returns: The columns not seen before, in the order of the row.
    @discardableResult
    public mutating func insert(columnsOf row: Row) -> [ColumnPath] { insert(columnsOf: row.json) }

    /// Adds the columns of a JSON object, such as a draft or a patch.
    ///
    /// - Complexity: O(bytes), without any allocation when the object has the shape of an earlier one.
    /// - Returns: The columns not seen before, in the order of the object.
    @discardableResult
    public mutating func insert(columnsOf json: ArraySlice<UInt8>) -> [ColumnPath] {
        let known = nodes.count
        let bytes = json.span
        var position = 0
        JSONScanner.skipSpace(bytes, &position)
        // Mostly there is nothing that the last one had not.
        if isFlat, isLikeLast(bytes, position) { return [] }
        try? insertMembers(bytes, &position, of: 0, depth: 0)
        return (known..<nodes.count).map(path)
    }

    /// Whether an object has the members that the last one had, and no object among them.
    private mutating func isLikeLast(_ bytes: borrowing Span<UInt8>, _ position: Int) -> Bool {
        let isAlike = last.find(bytes, from: position, &lastPlaces) != nil
        if !isAlike, (try? last.learn(bytes, from: position, &lastPlaces)) == nil { return false }
        for place in lastPlaces where place.isThere && bytes[place.range.lowerBound] == UInt8(ascii: "{") {
            isFlat = false
        }
        return isFlat && isAlike
    }

    private mutating func add(_ name: [UInt8], to parent: Int) -> Int? {
        guard !isFull else { return nil }
        nodes.append(Node(parent: parent, name: name))
        nodes[parent].places[name] = nodes[parent].children.count
        nodes[parent].children.append(nodes.count - 1)
        return nodes.count - 1
    }

    private mutating func insertMembers(
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        of parent: Int,
        depth: Int
    ) throws(JSONSyntaxError) {
        var members = try JSONScanner.Members(bytes, &position, depth: depth)
        // Rows mostly have the same members in the same order, so the likely one is the one after the last.
        var likely = 0
        while let name = try members.next(bytes, &position) {
            let node = child(named: name, in: bytes, of: parent, &likely)
            if let node, depth + 1 < Self.depthLimit, position < bytes.count, !isACL(node),
                bytes[position] == UInt8(ascii: "{")
            {
                try insertMembers(bytes, &position, of: node, depth: depth + 1)
            } else {
                try JSONScanner.skipValue(bytes, &position, depth: depth + 1)
            }
        }
    }

    private func isACL(_ node: Int) -> Bool {
        nodes[node].parent == 0 && nodes[node].name == Self.acl
    }

    private static let acl = ACL.column.utf8Array

    private mutating func child(
        named name: JSONString,
        in bytes: borrowing Span<UInt8>,
        of parent: Int,
        _ likely: inout Int
    ) -> Int? {
        if likely < nodes[parent].children.count {
            let node = nodes[parent].children[likely]
            let expected = nodes[node].name
            if name.equals(expected.span, in: bytes) {
                likely += 1
                return node
            }
        }
        let name = name.text(in: bytes).utf8Array
        if let place = nodes[parent].places[name] {
            likely = place + 1
            return nodes[parent].children[place]
        }
        return add(name, to: parent)
    }
}
