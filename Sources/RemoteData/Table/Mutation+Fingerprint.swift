// By what two writes with the same idempotency key are distinguished.
extension Mutation {
    /// The same for writes that say the same, in every process: of what is to be changed and how, without the
    /// revision that it depends on.
    ///
    /// Source: FNV-1a, 64 bits (Fowler, Noll and Vo 1991).
    ///
    /// - Complexity: O(bytes of the write).
    package var fingerprint: UInt64 {
        var hash = Fingerprint()
        switch self {
        case .create(let drafts), .upsert(let drafts): for draft in drafts { hash.add(draft.json) }
        case .update(let id, let patch, _):
            hash.add(id.value.json)
            hash.add(patch)
        case .updateAll(let filter, let patch):
            hash.add((filter?.description ?? "").utf8)
            hash.add(patch)
        case .delete(let id, _): hash.add(id.value.json)
        case .deleteAll(let filter): hash.add((filter?.description ?? "").utf8)
        }
        hash.add(word.utf8)
        return hash.value
    }

    private var word: String {
        switch self {
        case .create: "create"
        case .upsert: "upsert"
        case .update: "update"
        case .updateAll: "updateAll"
        case .delete: "delete"
        case .deleteAll: "deleteAll"
        }
    }
}

/// FNV-1a of several parts.
struct Fingerprint {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        value = (value ^ 0xFF) &* 0x100_0000_01B3
    }
}

extension RemoteDataError {
    /// The refusal of a write whose idempotency key another write had.
    ///
    /// Source: draft-ietf-httpapi-idempotency-key-header-07, section 2.7.
    package static var keyOfAnotherWrite: RemoteDataError {
        RemoteDataError(
            .invalidRequest,
            "The idempotency key was used for another write. Each write has a key of its own, and only the"
                + " same write is sent again by the same key.",
            status: 422
        )
    }
}
