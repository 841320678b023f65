import Foundation

@testable import RemoteData

/// A space with a cache, and providers in it.
struct Jukebox: Sendable {
    let cache = GatedCache()
    let space: ModelSpace

    init() { space = ModelSpace(cache: cache) }

    /// A provider that holds a song, which everybody has taken notice of.
    func song(_ song: Song? = nil) async -> DataProvider<Song> {
        let provider = DataProvider<Song>(space)
        if let song { provider.set(song) }
        await space.settled()
        return provider
    }

    /// A provider that holds songs, which everybody has taken notice of.
    func songs(_ songs: [Song], key: String? = nil) async -> CollectionDataProvider<Song> {
        let provider = CollectionDataProvider<Song>(space)
        provider.set(songs, cacheKey: key)
        await space.settled()
        return provider
    }

    /// A provider that has the list with a key as it is.
    func sibling(_ key: String) async throws -> CollectionDataProvider<Song> {
        let provider = CollectionDataProvider<Song>(space)
        try await provider.fetchFromCache(key)
        await space.settled()
        return provider
    }

    /// Puts songs into the cache without anybody's holding them.
    func store(_ songs: [Song], key: String? = nil) async throws {
        for song in songs { try await store(song) }
        guard let key else { return }
        try await cache.write([.list(key, songs.compactMap { $0.modelID.map { .model($0) } })])
    }

    private func store(_ song: Song) async throws {
        guard let id = song.modelID else { return }
        try await cache.write([.model(id, try CacheCoding.encoded(song))])
    }

    func cachedSong(_ id: String) async throws -> Song? { try await space.cachedModel(.song(id)) }

    /// The ids of the songs in a list of the cache; nil where there is no list.
    func cachedIDs(_ key: String) async throws -> [String?]? {
        let list: ModelList<Song>? = try await space.cachedList(key)
        return list?.map(\.id)
    }
}

extension CollectionDataProvider<Song> {
    /// What is told of changes made elsewhere, from now on.
    func changes() -> Heard<ListChange> {
        let order = Heard<ListChange>()
        onChange { change, _ in order.note(change) }
        return order
    }

    var ids: [String?] { data.map(\.id) }
    var plays: [Int] { data.map(\.plays) }
}

extension DataProvider<Song> {
    /// The songs that are told, from now on.
    func changes() -> Heard<Song?> {
        let order = Heard<Song?>()
        onChange { [weak self] _ in order.note(self?.data) }
        return order
    }
}

extension ListChange {
    /// One update.
    static func updated(_ index: Int) -> ListChange { .changes([.update(index)]) }
    /// One insertion.
    static func inserted(_ index: Int) -> ListChange { .changes([.insert(index)]) }
    /// One deletion.
    static func deleted(_ index: Int) -> ListChange { .changes([.delete(index)]) }
}
