/// The prepared statements of a connection that were used last, by their text.
struct StatementCache {
    private static let limit = 64

    private var statements: [UInt64: [Statement]] = [:]
    private var count = 0
    /// Counts the questions.
    private var time = 0

    /// The statement of a text; nil when it is not known.
    mutating func find(_ sql: String) -> Statement? {
        time += 1
        guard let known = statements[Self.hash(sql)]?.first(where: { $0.sql == sql }) else { return nil }
        known.lastUse = time
        return known
    }

    /// Adds a statement, and lets that go which was not used for the longest time, when there are too many.
    mutating func add(_ statement: Statement) {
        if count == Self.limit { removeOldest() }
        statement.lastUse = time
        statements[Self.hash(statement.sql), default: []].append(statement)
        count += 1
    }

    private mutating func removeOldest() {
        let all = statements.values.joined()
        guard let oldest = all.min(by: { $0.lastUse < $1.lastUse }) else { return }
        let hash = Self.hash(oldest.sql)
        statements[hash]?.removeAll { $0 === oldest }
        if statements[hash]?.isEmpty ?? false { statements[hash] = nil }
        count -= 1
    }

    mutating func removeAll() { (statements, count) = ([:], 0) }

    /// A number of a text, eight bytes at a time: hashing by `String` itself was a fifth of what a small write takes.
    ///
    /// The texts are the program's own, so nobody chooses them to have the same one.
    private static func hash(_ sql: String) -> UInt64 {
        var sql = sql
        return sql.withUTF8 { bytes in
            let bytes = UnsafeRawBufferPointer(bytes)
            var hash = UInt64(bytes.count)
            var offset = 0
            while offset + 8 <= bytes.count {
                hash =
                    (hash ^ bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
                    &* 0x9E37_79B9_7F4A_7C15
                hash ^= hash >> 29
                offset += 8
            }
            while offset < bytes.count {
                hash = (hash ^ UInt64(bytes[offset])) &* 0x100_0000_01B3
                offset += 1
            }
            return hash
        }
    }
}
