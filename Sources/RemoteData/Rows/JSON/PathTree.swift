/// Column paths arranged by their names, so that one pass over a row finds them all.
struct PathTree: Sendable {
    private var root: [Branch] = []
    /// How many places the paths and their beginnings take.
    private(set) var count = 0

    private struct Branch: Sendable {
        let name: [UInt8]
        let index: Int
        var branches: [Branch] = []
    }

    /// The place of a path among the ranges that ``find(in:)`` returns; the same path always has the same
    /// place.
    mutating func insert(_ path: ColumnPath) -> Int {
        Self.insert(path.names[...], into: &root, count: &count)
    }

    private static func insert(_ names: ArraySlice<String>, into branches: inout [Branch], count: inout Int)
        -> Int
    {
        let name = names.first?.utf8Array ?? []
        let place = branches.firstIndex { $0.name == name } ?? branches.count
        if place == branches.count {
            branches.append(Branch(name: name, index: count))
            count += 1
        }
        if names.count < 2 { return branches[place].index }
        return insert(names.dropFirst(), into: &branches[place].branches, count: &count)
    }

    /// Where the values of the paths lie in a row, counted from its first byte; nil for what is not there.
    ///
    /// Of members with the same name the first counts, as in ``Row/subscript(_:)``.
    /// - Complexity: O(bytes of the row); less when all paths are found early.
    func find(in json: ArraySlice<UInt8>) -> [Range<Int>?] {
        var ranges = [Range<Int>?](repeating: nil, count: count)
        guard count > 0 else { return ranges }
        let bytes = json.span
        var position = 0
        JSONScanner.skipSpace(bytes, &position)
        try? Self.scan(root, bytes, &position, depth: 0, into: &ranges)
        return ranges
    }

    /// Reads an object; only the outermost may be left before its end.
    private static func scan(
        _ branches: [Branch],
        _ bytes: borrowing Span<UInt8>,
        _ position: inout Int,
        depth: Int,
        into ranges: inout [Range<Int>?]
    ) throws(JSONSyntaxError) {
        var missing = branches.count
        var members = try JSONScanner.Members(bytes, &position, depth: depth)
        while missing > 0 || depth > 0, let member = try members.next(bytes, &position) {
            let start = position
            let found = branches.firstIndex {
                ranges[$0.index] == nil && member.equals($0.name.span, in: bytes)
            }
            guard let found else {
                try JSONScanner.skipValue(bytes, &position, depth: depth + 1)
                continue
            }
            if !branches[found].branches.isEmpty, bytes[position] == UInt8(ascii: "{") {
                try scan(branches[found].branches, bytes, &position, depth: depth + 1, into: &ranges)
            } else {
                try JSONScanner.skipValue(bytes, &position, depth: depth + 1)
            }
            ranges[branches[found].index] = start..<position
            missing -= 1
        }
    }
}
