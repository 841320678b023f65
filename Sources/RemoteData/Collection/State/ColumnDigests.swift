/// Digests of the columns of a row, or of all its versions: those that differ have none.
///
/// Columns share eight digests, so that one that has changed may look as if another had.
struct ColumnDigests: Sendable, Equatable {
    /// 0 for none; 1 where there is no column.
    private var lanes = SIMD8<UInt32>(repeating: 0)

    /// Creates the digests of a row.
    ///
    /// - Complexity: O(bytes of the row).
    init(_ row: Row) {
        guard let members = try? JSONObject.members(of: row.json) else { return }
        lanes = SIMD8(repeating: 1)
        for member in members {
            let name = Self.hash(of: member.name)
            let value = RowID.mark(of: member.json.span)
            lanes[Self.lane(name)] &+= UInt32(truncatingIfNeeded: value ^ name)
        }
    }

    /// Takes away the digests that others differ in.
    mutating func formIntersection(_ other: ColumnDigests) {
        lanes.replace(with: 0, where: lanes .!= other.lanes)
    }

    /// Whether a column may be another one in a row.
    ///
    /// - Parameters:
    ///   - row: The digests of the row.
    ///   - column: The name of the column.
    /// - Returns: Whether it may.
    func mayDiffer(from row: ColumnDigests, in column: String) -> Bool {
        let lane = Self.lane(Self.hash(of: column))
        return lanes[lane] == 0 || lanes[lane] != row.lanes[lane]
    }

    private static func lane(_ name: UInt64) -> Int { Int(name & 7) }

    /// The same in every process (Fowler, Noll and Vo 1991).
    private static func hash(of name: String) -> UInt64 {
        name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}

extension ColumnDigests? {
    /// Adds the digests of other versions of a row.
    mutating func formUnion(_ other: ColumnDigests?) {
        guard let other else { return }
        if self?.formIntersection(other) == nil { self = other }
    }
}
