/// Versions of rows that callers may hold elements of.
struct GivenVersions: Sendable {
    /// Those of the rows that are here.
    var rows: [Row]
    /// Those before.
    var former: FormerVersions

    mutating func formUnion(_ other: GivenVersions) {
        rows += other.rows
        former.formUnion(other.former)
    }
}
