/// A page as a server sends it: the JSON text of an array of its rows.
package struct PageText: Sendable {
    /// The array; whole once it is ``finished()``.
    package private(set) var json: [UInt8]
    /// The table's revision the page was read at.
    package let revision: Revision?
    /// Whether rows follow although there are fewer than asked for, because no more fitted in.
    package private(set) var endsEarly = false
    /// How many rows there are.
    package private(set) var count = 0
    /// How many bytes the rows may take; one of any size fits in.
    private let limit: Int

    /// Begins a page without rows.
    package init(revision: Revision?, fitting limit: Int) {
        self.revision = revision
        self.limit = limit
        json = [UInt8(ascii: "[")]
    }

    /// Adds the row that a function writes, unless no more fits in.
    ///
    /// - Returns: Whether it was added; where it was not, those behind it are not to be added either.
    package mutating func append(_ write: (inout [UInt8]) -> Void) -> Bool {
        // With the bracket there are as many bytes as the rows and a comma behind each take.
        guard count == 0 || json.count < limit else {
            endsEarly = true
            return false
        }
        if count > 0 { json.append(UInt8(ascii: ",")) }
        count += 1
        write(&json)
        return true
    }

    /// The page with its end.
    package consuming func finished() -> PageText {
        json.append(UInt8(ascii: "]"))
        return self
    }
}

/// A table that writes pages out without making rows of them.
package protocol PageWriting: Table {
    /// A page as text, as ``Table/page(_:)`` has it.
    ///
    /// - Parameters:
    ///   - request: Which page.
    ///   - limit: How many bytes its rows may take.
    /// - Returns: The page, from its start on as much as fits in, at least a row; nil where only ``Table/page(_:)`` has it.
    /// - Throws: What ``Table/page(_:)`` throws.
    func pageText(_ request: PageRequest, fitting limit: Int) async throws(RemoteDataError) -> PageText?
}
