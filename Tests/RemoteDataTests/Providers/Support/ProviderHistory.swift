import Synchronization

@testable import RemoteData

/// Several who have lists, some with one key, and single models, of which the same are held in many places.
///
/// One after another does something, as if each were on a thread of its own.
final class ProviderHistory {
    /// Somebody who has a list, and a table made of what is told of it.
    struct Holder {
        let provider: CollectionDataProvider<Song>
        let mirror = ListMirror()
    }

    private let jukebox = ManualJukebox()
    private var random: SeededGenerator
    private var lists: [Holder] = []
    private var singles: [DataProvider<Song>] = []
    /// The last version of each singer, which whoever makes a song knows.
    private var singers: [String: Singer] = [:]
    /// Whether lists are changed only by those who have been told everything.
    private let isInOrder: Bool
    private var steps: [String] = []

    init(seed: UInt64, isInOrder: Bool) {
        random = SeededGenerator(seed: seed)
        self.isInOrder = isInOrder
    }

    private static let keys = ["hits", "more", nil]

    /// What is wrong in the end; nil for nothing.
    func fault() async -> String? {
        for _ in 0..<random.number(2..<6) { await addList() }
        for _ in 0..<random.number(0..<3) { singles.append(DataProvider(jukebox.space)) }
        for _ in 0..<random.number(1..<25) {
            await act()
            if random.chance(3) { await jukebox.tell() }
        }
        for list in lists where random.chance(3) { list.provider.isPaused = false }
        for single in singles where random.chance(3) { single.isPaused = false }
        await jukebox.settle()
        if let fault = await faultInTheEnd() { return "\(fault) after \(steps.joined(separator: "; "))" }
        return nil
    }

    // MARK: Acting

    private func addList() async {
        let holder = Holder(provider: CollectionDataProvider(jukebox.space))
        let mirror = holder.mirror
        holder.provider.onChange { change, _ in mirror.apply(change) }
        lists.append(holder)
        await take(random.pick(Self.keys), lists.count - 1)
    }

    /// Has a list from now on, one of its own or that of others.
    private func take(_ key: String?, _ index: Int) async {
        await catchUp(index)
        let holder = lists[index]
        steps.append("\(index) takes \(key ?? "none")")
        if let key, random.chance(2) {
            let provider = holder.provider
            let fetch = Task.immediate { try await provider.fetchFromCache(key) }
            _ = await fetch.result
        } else {
            holder.provider.set(songs(), cacheKey: key)
        }
        show(holder)
    }

    private func show(_ holder: Holder) { if isInOrder { holder.mirror.show(holder.provider.data) } }

    /// Tells whoever is about to change a list what it has not been told.
    private func catchUp(_ index: Int) async {
        guard isInOrder else { return }
        let provider = lists[index].provider
        let isBehind = provider.list.state.withLock {
            $0.members[ObjectIdentifier(provider)]?.notice != nil
        }
        if isBehind { await jukebox.settle() }
        // What a reset has left open.
        if let fault = lists[index].mirror.check(provider.data) { steps.append("FAULT \(fault)") }
    }

    private func act() async {
        let index = random.number(0..<lists.count)
        switch random.number(0..<12) {
        case 0: await take(random.pick(Self.keys), index)
        case 1, 2, 3, 4: await edit(index)
        case 5: pause(index)
        case 6, 7: updateAll()
        case 8: delete()
        case 9, 10: setSingle()
        default: if lists.count > 2 { remove(index) } else { await addList() }
        }
    }

    private func remove(_ index: Int) {
        // A list of which the last provider goes may not be in the cache yet.
        steps.append("\(index) goes")
        lists.remove(at: index)
    }

    private func edit(_ index: Int) async {
        await catchUp(index)
        let (holder, count) = (lists[index], lists[index].provider.count)
        let place = count == 0 ? 0 : random.number(0..<count)
        switch random.number(0..<5) {
        case 0:
            let new = songs()
            steps.append("\(index) inserts \(new.map { $0.id ?? "-" }) at \(place)")
            holder.provider.insert(new, at: place)
        case 1 where count > 0:
            let song = song()
            steps.append("\(index) puts \(song.id ?? "-") at \(place)")
            holder.provider.update(song, at: place)
        case 2 where count > 0:
            steps.append("\(index) removes \(place)")
            holder.provider.remove(at: place)
        case 3:
            let new = songs()
            steps.append("\(index) sets \(new.map { $0.id ?? "-" })")
            holder.provider.set(new, cacheKey: holder.provider.cacheKey)
        default:
            let new = songs()
            steps.append("\(index) appends \(new.map { $0.id ?? "-" })")
            holder.provider.append(new)
        }
        show(holder)
    }

    private func pause(_ index: Int) {
        steps.append("\(index) \(lists[index].provider.isPaused ? "resumes" : "pauses")")
        lists[index].provider.isPaused.toggle()
        guard let single = singles.randomElement(using: &random), random.chance(2) else { return }
        single.isPaused.toggle()
    }

    private func updateAll() {
        if random.chance(2) {
            let singer = Singer(random.pick(["s", "t"]), "\(random.number(0..<100))")
            singer.id.map { singers[$0] = singer }
            steps.append("singer \(singer.id ?? "") is \(singer.name)")
            jukebox.space.update(singer)
        } else {
            let new = songs()
            steps.append("new \(new.map { "\($0.id ?? "-")=\($0.plays)" })")
            jukebox.space.update(new)
        }
    }

    private func delete() {
        let song = song()
        steps.append("delete \(song.id ?? "-")")
        if song.id != nil { jukebox.space.delete(song) }
    }

    private func setSingle() {
        guard let single = singles.randomElement(using: &random) else { return }
        let song = random.chance(8) ? nil : song()
        steps.append("single \(song.map { "\($0.id ?? "-")=\($0.plays)" } ?? "nil")")
        single.set(song)
    }

    private func songs() -> [Song] { (0..<random.number(0..<4)).map { _ in song() } }

    private func song() -> Song {
        let id = random.chance(9) ? nil : random.pick(["a", "b", "c", "d", "e"])
        let singer = random.pick([nil, "s", "t"]).map { singers[$0] ?? Singer($0, "") } ?? Singer(nil)
        return Song(id, random.number(0..<50), by: singer)
    }

    // MARK: The end

    private func faultInTheEnd() async -> String? {
        if let fault = steps.first(where: { $0.hasPrefix("FAULT") }) { return fault }
        let awake = lists.filter { !$0.provider.isPaused }
        for (number, list) in lists.enumerated() where isInOrder {
            if let fault = list.mirror.check(list.provider.data) { return "\(number): \(fault)" }
        }
        for key in Self.keys.compactMap(\.self) {
            let siblings = awake.filter { $0.provider.cacheKey == key }
            guard let first = siblings.first?.provider.data else { continue }
            if siblings.contains(where: { $0.provider.data != first }) { return "siblings differ in \(key)" }
            if let fault = await faultInCache(key, first) { return fault }
        }
        return faultInModels(awake)
    }

    private func faultInCache(_ key: String, _ list: ModelList<Song>) async -> String? {
        let cached = try? await jukebox.space.cachedList(key, of: Song.self)
        // Nobody has set it.
        if cached == nil, list.isEmpty { return nil }
        return cached == list ? nil : "\(key) is \(list), in the cache \(cached?.description ?? "nil")"
    }

    private func faultInModels(_ awake: [Holder]) -> String? {
        let all = awake.flatMap(\.provider.data) + singles.filter { !$0.isPaused }.compactMap(\.data)
        var known: [String: Song] = [:]
        var knownSingers: [String: Singer] = [:]
        for song in all {
            if let id = song.id, let other = known.updateValue(song, forKey: id), other != song {
                return "\(song) and \(other)"
            }
            let singer = song.singer
            if let id = singer.id, let other = knownSingers.updateValue(singer, forKey: id), other != singer {
                return "\(singer) and \(other)"
            }
        }
        return nil
    }
}
