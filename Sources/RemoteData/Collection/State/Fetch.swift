/// A page that has been asked for and has not been put in its place yet.
struct Fetch: Sendable, Hashable {
    /// A number of its own.
    let id: Int
    /// What to ask the table for.
    let request: PageRequest
    /// The positions of the index it was to fill when it was asked for.
    let expected: Range<Int>
    /// The revision the collection was at when it was asked for.
    let floor: Revision?
    /// The number at which a cache was asked; nil where the table was.
    private(set) var keptAsOf: Int?

    /// Whether it was answered by what a cache keeps.
    var isKept: Bool { keptAsOf != nil }

    init(id: Int, request: PageRequest, expected: Range<Int>, floor: Revision?) {
        (self.id, self.request, self.expected, self.floor) = (id, request, expected, floor)
    }

    /// The same, answered by what a cache keeps for a request like it and was asked for at a number.
    init(_ fetch: Fetch, keptFor request: PageRequest, asOf number: Int) {
        self.init(id: fetch.id, request: request, expected: fetch.expected, floor: fetch.floor)
        keptAsOf = number
    }

    /// Whether an error says that the table has no such pages, whatever it was taken to have.
    func isRefused(_ error: RemoteDataError) -> Bool {
        if case .beyond = request.start { error.code == .invalidRequest } else { false }
    }
}

extension PageRequest.Start {
    /// The key that the page lies behind, if it is one.
    var behind: Key? {
        switch self {
        case .after(let key), .beyond(let key, _): key
        case .offset, .before: nil
        }
    }
}
