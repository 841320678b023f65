struct ColumnSet: Sendable {
    mutating func insert(_ row: Row) {}
    func check(_ query: Query) throws(RemoteDataError) {}
}
