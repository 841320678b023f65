// Writing for code that may block: each call does what its asynchronous twin in `RemoteDataCollection+Writing.swift`
// does, and returns when the table has answered.
extension RemoteDataCollection {
    /// Adds a row to the table, and to the collection at the place where it sorts; blocks for one request.
    ///
    /// - Parameter element: The row; without an id (nil, or empty text) the table chooses one.
    /// - Returns: The row as the table stored it; nil when it does not match the clause, and then nothing was sent.
    /// - Throws: ``RemoteDataError`` when the table refuses the row or does not answer within the deadline.
    @discardableResult
    public func add(_ element: Element) throws(RemoteDataError) -> Element? {
        try blocking { () async throws(RemoteDataError) in try await self.add(element) }
    }

    /// Adds rows to the table, and to the collection where they sort; blocks for one request.
    ///
    /// - Parameter elements: The rows.
    /// - Returns: What was stored, and what was discarded because it does not match the clause.
    /// - Throws: ``RemoteDataError`` when the table refuses them or does not answer; none is then stored.
    @discardableResult
    public func add(
        contentsOf elements: some Collection<Element> & Sendable
    ) throws(RemoteDataError) -> WriteResult<Element> {
        try blocking { () async throws(RemoteDataError) in try await self.add(contentsOf: elements) }
    }

    /// Adds a row to the table, and to the collection at a position; blocks for one request.
    ///
    /// In a collection without a sort order the row keeps that position until `refresh()`; with one it goes where it sorts.
    ///
    /// - Parameters:
    ///   - element: The row.
    ///   - position: From 0 to `count`.
    /// - Returns: The row as stored; nil when it does not match the clause.
    /// - Throws: ``RemoteDataError`` like `add`, and `outOfRange` for another position.
    @discardableResult
    public func insert(_ element: Element, at position: Int) throws(RemoteDataError) -> Element? {
        try blocking { () async throws(RemoteDataError) in try await self.insert(element, at: position) }
    }

    /// Adds rows to the table, and to the collection at a position; blocks for one request.
    ///
    /// - Parameters:
    ///   - elements: The rows.
    ///   - position: From 0 to `count`.
    /// - Returns: What was stored, and what was discarded.
    /// - Throws: ``RemoteDataError`` like `insert(_:at:)`.
    @discardableResult
    public func insert(
        contentsOf elements: some Collection<Element> & Sendable,
        at position: Int
    ) throws(RemoteDataError) -> WriteResult<Element> {
        try blocking { () async throws(RemoteDataError) in
            try await self.insert(contentsOf: elements, at: position)
        }
    }

    /// Writes the columns of a row that the element changes, or refuses where that is not clear.
    ///
    /// Blocks for one request, or two when the row is not here. The asynchronous one says what is refused.
    ///
    /// - Parameter element: The row with its id.
    /// - Returns: The row as the table stored it.
    /// - Throws: ``RemoteDataError``: `invalidRow` for a row without an id, `notFound` for one that is not in
    ///   the table, `conflict` where the element may be older than the row.
    @discardableResult
    public func update(_ element: Element) throws(RemoteDataError) -> Element {
        try blocking { () async throws(RemoteDataError) in try await self.update(element) }
    }

    /// Writes the columns of a row in which an element differs from the one that it was made from.
    ///
    /// Blocks for one request, or two when the row is not here.
    ///
    /// - Parameters:
    ///   - element: The row with its id.
    ///   - original: The row as it was read.
    /// - Returns: The row as the table stored it.
    /// - Throws: ``RemoteDataError`` like the asynchronous one.
    @discardableResult
    public func update(_ element: Element, from original: Element) throws(RemoteDataError) -> Element {
        try blocking { () async throws(RemoteDataError) in try await self.update(element, from: original) }
    }

    /// Removes a row from the table; blocks for one request, or two when the row is not here.
    ///
    /// - Parameter element: The row; only its id matters.
    /// - Returns: Whether a row was removed; false when it was not, or no longer, there.
    /// - Throws: ``RemoteDataError``: `invalidRow` for a row without an id, or why the table could not be asked.
    @discardableResult
    public func remove(_ element: Element) throws(RemoteDataError) -> Bool {
        try blocking { () async throws(RemoteDataError) in try await self.remove(element) }
    }

    /// Removes the row at a position from the table; blocks for one request, or two when the row is not here.
    ///
    /// - Parameter position: Counted from zero.
    /// - Returns: The row that was removed.
    /// - Throws: ``RemoteDataError``: `outOfRange` for a position that is not there, or why the table could not be asked.
    @discardableResult
    public func remove(at position: Int) throws(RemoteDataError) -> Element {
        try blocking { () async throws(RemoteDataError) in try await self.remove(at: position) }
    }

    /// Removes every row of the collection from the table; blocks for one request.
    ///
    /// - Returns: How many rows were removed.
    /// - Throws: ``RemoteDataError`` when the table refuses or does not answer within the deadline.
    @discardableResult
    public func removeAll() throws(RemoteDataError) -> Int {
        try blocking { () async throws(RemoteDataError) in try await self.removeAll() }
    }

    /// Removes the rows of the collection that match a further clause; blocks for one request, or those that the asynchronous
    /// one tells of.
    ///
    /// - Parameter clause: Which of the collection's rows, such as `age > 90`; a blank one is refused.
    /// - Returns: How many rows were removed.
    /// - Throws: ``RemoteDataError``: `invalidClause` when the clause is blank or cannot be read, or why the
    ///   table refuses or does not answer.
    @discardableResult
    public func removeAll(where clause: String) throws(RemoteDataError) -> Int {
        try blocking { () async throws(RemoteDataError) in try await self.removeAll(where: clause) }
    }
}
