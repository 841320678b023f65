/// What has become of the models that a listener holds, by their ids.
public struct ModelUpdates: Sendable {
    // Without duplicates; one is in one list at most.
    private(set) var changedIDs: ContiguousArray<ModelID>
    private(set) var deletedIDs: ContiguousArray<ModelID>

    /// The models that are not as they were: those that were updated, and those that these are a part of.
    ///
    /// - Complexity: O(n), made anew each time.
    public var changed: Set<ModelID> { Set(changedIDs) }

    /// The models that were deleted, and those that could not be without one that was.
    ///
    /// - Complexity: O(n), made anew each time.
    public var deleted: Set<ModelID> { Set(deletedIDs) }

    /// Whether nothing has changed.
    public var isEmpty: Bool { changedIDs.isEmpty && deletedIDs.isEmpty }

    /// What has become of some models; what was deleted has not changed.
    public init(changed: Set<ModelID> = [], deleted: Set<ModelID> = []) {
        changedIDs = ContiguousArray(changed.subtracting(deleted))
        deletedIDs = ContiguousArray(deleted)
    }

    init(changed: ContiguousArray<ModelID>) {
        changedIDs = changed
        deletedIDs = []
    }

    /// Whether a model is not as it was.
    ///
    /// - Complexity: O(n).
    public func hasChanged(_ id: ModelID) -> Bool { changedIDs.contains(id) }

    /// Whether a model is no more.
    ///
    /// - Complexity: O(n).
    public func hasDeleted(_ id: ModelID) -> Bool { deletedIDs.contains(id) }

    /// These and others.
    func union(_ others: ModelUpdates) -> ModelUpdates {
        ModelUpdates(changed: changed.union(others.changed), deleted: deleted.union(others.deleted))
    }
}

extension ModelUpdates: Equatable {
    /// Whether both name the same models.
    public static func == (left: ModelUpdates, right: ModelUpdates) -> Bool {
        left.changed == right.changed && left.deleted == right.deleted
    }
}
