import Synchronization

// Collections over tables whose order cannot be reproduced.
extension RemoteDataCollection {
    /// Forgets the places of rows that are no longer here, where they have become many.
    func forgetPlaces() {
        guard let placing, placing.isCrowded(by: loadedCount) else { return }
        let kept = state.withLock { state in
            var ids = Set(state.core.cursors.values.compactMap(\.after?.id))
            state.core.index.forEachLoaded { _, row in ids.insert(row.id) }
            return ids
        }
        placing.forget { kept.contains($0) }
    }
}
