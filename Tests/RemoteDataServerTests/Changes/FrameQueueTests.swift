import Testing

@testable import RemoteDataServer

struct FrameQueueTests {
    private func bytes(_ count: Int, _ value: UInt8 = 0) -> [UInt8] {
        [UInt8](repeating: value, count: count)
    }

    fileprivate func drain(_ queue: Queue, maximum: Int = .max) -> [UInt8] {
        var first: [UInt8] = []
        while let piece = queue.next(maximum: maximum) { first.append(piece.bytes.first ?? 0) }
        return first
    }

    @Test func framesComeOutInOrder() {
        let queue = Queue(frameLimit: 100, byteLimit: 1_000)
        for value in 0..<50 { #expect(queue.append(bytes(3, UInt8(value)), owner: value % 3)) }
        #expect(queue.byteCount == 150)
        #expect(drain(queue) == (0..<50).map { UInt8($0) })
        #expect(queue.isEmpty)
        #expect(queue.byteCount == 0)
    }

    @Test func aLongFrameGoesInPieces() {
        let queue = Queue(frameLimit: 10, byteLimit: 100)
        _ = queue.append(bytes(10), owner: 1)
        let pieces = (0..<3).compactMap { _ in queue.next(maximum: 4) }
        #expect(pieces.map(\.bytes.count) == [4, 4, 2])
        #expect(pieces.map(\.isFirst) == [true, false, false])
        #expect(pieces.map(\.isLast) == [false, false, true])
        #expect(queue.next(maximum: 4) == nil)
    }

    @Test func aFullQueueTakesNothingMore() {
        let queue = Queue(frameLimit: 2, byteLimit: 10)
        #expect(queue.append(bytes(4), owner: 1))
        #expect(!queue.append(bytes(7), owner: 1))
        #expect(queue.append(bytes(6), owner: 1))
        #expect(!queue.append([], owner: 1))
        #expect(queue.count == 2)
    }

    @Test func anEmptyQueueTakesAFrameOfAnySize() {
        let queue = Queue(frameLimit: 2, byteLimit: 10)
        #expect(queue.append(bytes(100), owner: 1))
        #expect(!queue.append(bytes(1), owner: 1))
        _ = queue.next(maximum: 1)
        #expect(queue.append(bytes(100), owner: 1))
    }

    @Test func droppingLeavesOthersAndWhatIsUnderWay() {
        let queue = Queue(frameLimit: 10, byteLimit: 100)
        _ = queue.append(bytes(4, 1), owner: 1)
        _ = queue.append(bytes(4, 2), owner: 2)
        _ = queue.append(bytes(4, 3), owner: 1)
        _ = queue.appendControl(bytes(1, 4))
        #expect(queue.next(maximum: 2)?.isFirst == true)
        queue.drop(owner: 1)
        #expect(queue.byteCount == 5)
        #expect(queue.next(maximum: 10)?.isFirst == false)
        #expect(drain(queue) == [2, 4])
    }

    @Test func aMarkComesWithTheLastPiece() {
        let queue = Queue(frameLimit: 10, byteLimit: 100)
        _ = queue.appendControl(bytes(4), mark: 7)
        #expect(queue.next(maximum: 3)?.mark == nil)
        #expect(queue.next(maximum: 3)?.mark == 7)
    }

    @Test func asManyFramesAsThereIsRoomForGoOutTogether() {
        let queue = Queue(frameLimit: 100, byteLimit: 1_000)
        for value in 0..<7 { _ = queue.append(bytes(4, UInt8(value)), owner: 1) }
        _ = queue.append(bytes(70), owner: 1)
        var batches: [[FrameQueue.Piece]] = []
        while case let batch = queue.nextBatch(maximum: 50), !batch.isEmpty { batches.append(batch) }
        // Each has a head of at most ten bytes; what would not go out whole waits, unless it is the first.
        #expect(batches.map { $0.map(\.bytes.count) } == [[4, 4, 4], [4, 4, 4], [4], [40], [30]])
        #expect(batches.joined().map(\.isLast) == Array(repeating: true, count: 7) + [false, true])
        #expect(batches.joined().prefix(7).map(\.bytes.first) == (0..<7).map { UInt8($0) })
    }

    @Test(arguments: [
        (0, [0]), (125, [125]), (126, [126, 0, 126]), (65_535, [126, 255, 255]),
        (65_536, [127, 0, 0, 0, 0, 0, 1, 0, 0]),
    ])
    func aHeadTellsTheLength(count: Int, length: [UInt8]) {
        let whole = FrameQueue.Piece(bytes: bytes(count)[...], isFirst: true, isLast: true)
        #expect(whole.head == [0x81] + length)
        let middle = FrameQueue.Piece(bytes: bytes(count)[...], isFirst: false, isLast: false)
        #expect(middle.head == [0] + length)
    }

    @Test func answersHaveRoomOfTheirOwnButNotWithoutEnd() {
        let queue = Queue(frameLimit: 1, byteLimit: 1)
        _ = queue.append(bytes(1), owner: 1)
        var count = 0
        while queue.appendControl(bytes(10)), count < 100_000 { count += 1 }
        #expect(count == 1_001)
    }
}

struct SubscriptionBookTests {
    @Test func aNameIsUsedOnceAtATime() throws {
        let book = Book(limit: 10)
        let first = try book.begin("a")
        #expect(throws: ClientFrame.Problem.self) { try book.begin("a") }
        #expect(book.end("a") == first)
        #expect(book.end("a") == nil)
        #expect(try book.begin("a") != first)
    }

    @Test func thereIsALimit() throws {
        let book = Book(limit: 2)
        _ = try book.begin("a")
        _ = try book.begin("b")
        let problem = #expect(throws: ClientFrame.Problem.self) { try book.begin("c") }
        #expect(problem?.code == 1429)
        _ = book.end("a")
        _ = try book.begin("c")
    }

    @Test func anOldEndDoesNotEndANamesake() throws {
        let book = Book(limit: 2)
        let old = try book.begin("a")
        _ = book.end("a")
        let new = try book.begin("a")
        book.end("a", number: old)
        #expect(book.all == [new])
        book.end("a", number: new)
        #expect(book.all == [])
    }
}

/// A queue whose events can stand inside an expectation.
private final class Queue {
    private var queue: FrameQueue
    init(frameLimit: Int, byteLimit: Int) { queue = FrameQueue(frameLimit: frameLimit, byteLimit: byteLimit) }
    var count: Int { queue.count }
    var byteCount: Int { queue.byteCount }
    var isEmpty: Bool { queue.isEmpty }
    func append(_ bytes: [UInt8], owner: Int) -> Bool { queue.append(bytes, owner: owner) }
    func appendControl(_ bytes: [UInt8], mark: Int? = nil) -> Bool { queue.appendControl(bytes, mark: mark) }
    func drop(owner: Int) { queue.drop(owner: owner) }
    func next(maximum: Int) -> FrameQueue.Piece? { queue.next(maximum: maximum) }
    func nextBatch(maximum: Int) -> [FrameQueue.Piece] { queue.nextBatch(maximum: maximum) }
}

/// A book whose events can stand inside an expectation.
private final class Book {
    private var book: SubscriptionBook
    init(limit: Int) { book = SubscriptionBook(limit: limit) }
    var all: [Int] { book.all }
    func begin(_ id: String) throws -> Int { try book.begin(id) }
    func end(_ id: String) -> Int? { book.end(id) }
    func end(_ id: String, number: Int) { book.end(id, number: number) }
}
