import Dispatch
import Foundation
import RemoteData
import Synchronization

/// One model that many hold, in trees of 51.
struct ConsistencyBenchmarks {
    let rounds: Int

    func run(_ report: inout Report) throws -> [String] {
        for count in [10, 100, 1_000, 10_000] {
            let crowd = Crowd(count, isShared: false)
            try shared(crowd, &report)
            try single(crowd, &report)
        }
        let alike = Crowd(10_000, isShared: true)
        try report.add(
            "one tree that 10000 listen to, each of them",
            Self.each(10_000, contest(alike).run(rounds: rounds))
        )
        return ["10000 listeners to one tree were added in \(alike.seconds * 1_000) ms (target: under 200)"]
    }

    /// What listeners take of memory, in words.
    static func memory() throws -> String {
        let crowd = Crowd(10_000, isShared: false)
        let each = try Resident.growth(from: crowd.bytesBefore) / crowd.count
        return "resident memory of \(crowd.count) listeners to trees of 51: \(each) bytes each (target: 3 KB)"
    }

    /// One model in all trees.
    private func shared(_ crowd: Crowd, _ report: inout Report) throws {
        let title = "a model in \(crowd.count) trees of 51, each tree (target: 2 µs)"
        try report.add(title, Self.each(crowd.count, contest(crowd).run(rounds: max(5, rounds))))
    }

    private func contest(_ crowd: Crowd) -> Contest {
        let hand = HandMade(crowd.models)
        var contest = Contest()
        contest.add("rebuilt by hand on one queue, told on another") {
            hand.update(crowd.nextShared())
            return ""
        }
        contest.add("ConsistencyManager") {
            crowd.update(crowd.nextShared(), telling: crowd.count)
            return ""
        }
        return contest
    }

    /// One model of one tree.
    private func single(_ crowd: Crowd, _ report: inout Report) throws {
        var contest = Contest()
        let batch = 1_000
        // Made beforehand: each is another than its tree has when its turn comes.
        let ids = (0..<batch).map { _ in crowd.nextPrivate().id }
        let photos = ["even", "odd"].map { round in
            ids.enumerated().map { Photo(id: $1, title: "\(round) \($0)", isLiked: false) }
        }
        var round = 0
        let waits = 100
        contest.add("ConsistencyManager, each of \(waits) waited for") {
            for _ in 0..<waits { crowd.update(crowd.nextPrivate(), telling: crowd.tellings(of: 1)) }
            return ""
        }
        contest.add("ConsistencyManager, each of \(batch) queued") {
            round += 1
            crowd.update(photos[round % 2], telling: crowd.tellings(of: batch))
            return ""
        }
        var measurements = try contest.run(rounds: max(5, rounds))
        for (index, count) in [waits, batch].enumerated() {
            measurements[index].seconds = measurements[index].seconds.map { $0 / Double(count) }
        }
        report.add("a model in one of \(crowd.count) trees (target: 5 µs)", measurements)
    }

    private static func each(_ count: Int, _ measurements: [Measurement]) -> [Measurement] {
        measurements.map { measurement in
            var each = measurement
            each.seconds = measurement.seconds.map { $0 / Double(count) }
            return each
        }
    }
}

/// Those who hold trees, kept the same by a manager.
private final class Crowd {
    let count: Int
    let models: [Album]
    /// How long it took to add them.
    let seconds: Double
    /// ``Resident/bytes`` before they were added.
    let bytesBefore: Int
    private let isShared: Bool
    private let manager = ConsistencyManager()
    private let told = TellingCount()
    private var subscriptions: [ConsistencySubscription<Album>] = []
    private var number = 0

    init(_ count: Int, isShared: Bool) {
        self.count = count
        self.isShared = isShared
        models = (0..<count).map { Album(isShared ? 0 : $0) }
        bytesBefore = Resident.bytes
        let start = ContinuousClock.now
        for model in models {
            subscriptions.append(manager.subscribe(to: model) { [told] _ in told.note() })
        }
        told.expect(1)
        let last = manager.subscribe(to: Photo(id: "last", title: "", isLiked: false)) { [told] _ in
            told.note()
        }
        manager.update(Photo(id: "last", title: "", isLiked: true))
        told.wait()
        withExtendedLifetime(last) {}
        seconds = start.duration(to: .now) / .seconds(1)
    }

    /// A model that all have, as it was not before.
    func nextShared() -> Photo {
        number += 1
        return Photo(id: "shared", title: "title \(number)", isLiked: number.isMultiple(of: 2))
    }

    /// A model that one has.
    func nextPrivate() -> Photo {
        number += 1
        return Photo(
            id: "\(isShared ? 0 : number * 7_919 % count)/3",
            title: "title \(number)",
            isLiked: false
        )
    }

    func tellings(of updates: Int) -> Int { isShared ? count * updates : updates }

    func update(_ photo: Photo, telling count: Int) { update([photo], telling: count) }

    /// Updates models one by one and waits until all are told.
    func update(_ photos: [Photo], telling count: Int) {
        told.expect(count)
        for photo in photos { manager.update(photo) }
        told.wait()
    }
}

/// What one would write for just this: who has the model and where, a new tree for each, told on another queue.
private final class HandMade: Sendable {
    private struct Holder {
        var album: Album
        let place: Int
    }

    private let holders: Mutex<[Holder]>
    private let told: Mutex<[Album]>
    private let work = DispatchQueue(label: "benchmarks.work")
    private let delivery = DispatchQueue(label: "benchmarks.delivery")

    init(_ albums: [Album]) {
        holders = Mutex(albums.map { Holder(album: $0, place: Album.sharedPlace) })
        told = Mutex(albums)
    }

    func update(_ photo: Photo) {
        let done = DispatchSemaphore(value: 0)
        work.async { [self] in
            let news = holders.withLock { holders in
                var news: [(Int, Album)] = []
                for index in holders.indices where holders[index].album.photos[holders[index].place] != photo
                {
                    var album = holders[index].album
                    album.photos[holders[index].place] = photo
                    holders[index].album = album
                    news.append((index, album))
                }
                return news
            }
            delivery.async { [self] in
                for (index, album) in news { told.withLock { $0[index] = album } }
                done.signal()
            }
        }
        done.wait()
    }
}

/// A tree of 51 models, one of which all have.
private struct Album: ConsistentModel, Equatable {
    static let sharedPlace = 25

    var id: String
    var photos: [Photo]
    var modelID: ModelID? { ModelID(id, of: "album") }
    static let children: [ModelChild<Album>] = [.many(\.photos)]

    init(_ number: Int) {
        id = "\(number)"
        photos = (0..<50).map { Photo(id: "\(number)/\($0)", title: "title", isLiked: false) }
        photos[Self.sharedPlace] = Photo(id: "shared", title: "title", isLiked: false)
    }
}

private struct Photo: ConsistentModel, Equatable {
    var id: String
    var title: String
    var isLiked: Bool
    var modelID: ModelID? { ModelID(id, of: "photo") }
}
