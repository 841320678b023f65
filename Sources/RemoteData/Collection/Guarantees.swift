/// What a collection promises over its table, and where each promise ends.
///
/// It follows from what the table says it can do, from the options, and from whether changes come at this moment; see
/// ``RemoteDataCollection/guarantees`` and <doc:WhatIsGuaranteed>.
public struct Guarantees: Sendable, Hashable {
    /// Each row that matches throughout an iteration comes exactly once.
    public let iteration: Guarantee
    /// Once nobody writes, the rows here are those of the table.
    public let convergence: Guarantee
    /// A write is made once, or is refused with an error.
    public let writes: Guarantee
    /// Memory and buffers are bounded.
    public let bounds: Guarantee
    /// Every wait has an end.
    public let deadlines: Guarantee

    /// All of them, in this order.
    public var all: [Guarantee] { [iteration, convergence, writes, bounds, deadlines] }
}

extension Guarantees: CustomStringConvertible {
    /// Every promise with whether it holds and why, as a text to be read or logged.
    public var description: String { all.map(\.description).joined(separator: "\n") }
}

/// What guarantees depend on.
struct GuaranteeConditions: Sendable {
    var capabilities: Capabilities
    /// Whether changes are wanted.
    var isLive: Bool
    /// Whether there is a clause.
    var hasClause: Bool
    /// Whether the table counts exactly what matches.
    var countsExactly = true
    /// How many rows are kept at most; nil for all.
    var cacheLimit: Int?
    /// Why changes do not come for now; nil when they do.
    var interruption: RemoteDataError?
    /// Whether rows are those that a cache kept, as the feed has not come alive yet.
    var isRestored = false

    /// Whether changes are followed.
    var follows: Bool { isLive && capabilities.liveChanges }
}

extension Guarantees {
    init(_ conditions: GuaranteeConditions) {
        iteration = Self.iteration(conditions)
        convergence = Self.convergence(conditions)
        writes = Self.writes(conditions)
        bounds = Guarantee("Memory and buffers are bounded.") { list in
            if let limit = conditions.cacheLimit {
                list.note("Of the rows that were read about \(limit) are kept, those used last.")
            } else {
                list.limit(
                    "Every row that was read is kept until `refresh()`; `options.cacheLimit` is not set."
                )
            }
            list.note(
                "At most 10,000 changes wait in a feed and 100,000 in the collection; more become a gap that"
                    + " is repaired and then delivered as one `dataLoaded`."
            )
        }
        deadlines = Guarantee("Every wait has an end.") { list in
            list.note(
                "A read waits for its page no longer than `options.deadline`, a blocking call one second more."
            )
            list.limit("An asynchronous write waits for as long as the table itself lets it.")
        }
    }

    private static func iteration(_ conditions: GuaranteeConditions) -> Guarantee {
        let can = conditions.capabilities
        return Guarantee("Each row that matches throughout an iteration comes exactly once.") { list in
            if can.keysetPages {
                list.note("Pages start behind the key of the last row, so none is skipped or repeated.")
            } else {
                list.break(
                    "The table does not promise pages behind a key, which the collection asks for: behind the first page rows may be"
                        + " refused, repeated or left out while others write."
                )
            }
            if !conditions.follows {
                list.limit(
                    "Changes are not followed: rows in memory are returned as they were read, without those"
                        + " that were created among them since; one that moves to the front of the iteration"
                        + " is left out, and no row comes"
                        + (conditions.cacheLimit == nil
                            ? " twice."
                            : " twice unless it is moved on and has been forgotten (`options.cacheLimit`).")
                )
            } else if !can.revisions {
                list.limit(
                    "Pages and changes have no revisions: a row that moves meanwhile may be left out."
                )
            } else {
                list.note(
                    "An iteration waits for the changes up to the pages that it reads, and at its end for those that were missed while"
                        + " the feed was away; without them it ends with an error."
                )
            }
            if conditions.isRestored, conditions.follows {
                list.limit(
                    "Until changes have come for the first time, an iteration returns the rows that the cache"
                        + " has kept where the table cannot be reached."
                )
            }
            if conditions.cacheLimit != nil, conditions.follows {
                list.note(
                    "An iteration remembers 262,144 rows that were removed from memory (`options.cacheLimit`); it ends with the error"
                        + " `gone` where a change leaves open whether one before those was returned."
                )
            }
            list.limitOrder(can)
        }
    }

    private static func convergence(_ conditions: GuaranteeConditions) -> Guarantee {
        let can = conditions.capabilities
        return Guarantee("Once nobody writes, the rows here are those of the table.") { list in
            if !conditions.countsExactly {
                list.limit(
                    "The table cannot be asked for the whole clause, so that it counts more rows than match: until everything is loaded,"
                        + " the count is too high."
                )
            }
            guard conditions.follows else {
                let why = can.liveChanges ? "Changes are not followed" : "The table does not tell its changes"
                list.break("\(why): rows are as they were when they were read, until `refresh()`.")
                list.limitOrder(can)
                return
            }
            if let error = conditions.interruption {
                if !error.isRefusal || error.code == .unauthorized {
                    list.limit(
                        "Changes are interrupted (\(error.code)): rows are as they were, until they come again."
                    )
                } else {
                    list.break(
                        "Changes are refused (\(error.code)), and asked for again within a minute:"
                            + " until they come, rows stay as they were."
                    )
                }
            }
            if can.revisions {
                list.note("Changes, counts and pages are put together by their revisions.")
                list.note(
                    can.resume
                        ? "After a disconnect the changes since the last revision are asked for."
                        : "After a disconnect what is here is compared with the table."
                )
            } else {
                list.limit(
                    "The table has no revisions: until everything is loaded, the count may be off by what"
                        + " changes during its request or a page's, and by rows between those read far apart."
                        + " After a disconnect the loaded rows are compared with the table."
                )
            }
            list.limitMembership(conditions)
            list.limitOrder(can)
        }
    }

    private static func writes(_ conditions: GuaranteeConditions) -> Guarantee {
        Guarantee("A write is made once, or is refused with an error.") { list in
            if conditions.capabilities.idempotency {
                list.note("A write carries a key by which the table makes it once, however often it is sent.")
                list.limit(
                    "A write that got no answer and was refused when it was sent again is made if the first request arrives after that."
                )
            } else {
                list.break(
                    "The table heeds no idempotency keys: a write whose reply is lost may be made twice when it is sent again."
                )
            }
            list.limit(
                "A write that gets no answer in the end, or none that can be read, throws an error"
                    + " (transient, `invalidAnswer`, or `unauthorized` when sent again) and may be made;"
                    + " none outlives the program."
            )
            list.note(
                "An update sends only columns that its caller changed. Where the element may be older than"
                    + " the row, `update(_:)` is refused with `conflict`. `update(_:from:)` needs no memory,"
                    + " and takes elements of any collection; `update(_:)` those of this one and of those"
                    + " narrowed from it."
            )
            if !conditions.capabilities.filteredDeletes {
                list.limit("The table does not delete by clause: `removeAll()` is refused.")
            }
        }
    }
}

/// The reasons of a guarantee as they are found.
private struct ReasonList {
    var strength = Guarantee.Strength.holds
    var reasons: [String] = []

    mutating func note(_ reason: String) { reasons.append(reason) }

    mutating func limit(_ reason: String) {
        if strength == .holds { strength = .isLimited }
        reasons.append(reason)
    }

    mutating func `break`(_ reason: String) {
        strength = .doesNotHold
        reasons.append(reason)
    }

    mutating func limitMembership(_ conditions: GuaranteeConditions) {
        let can = conditions.capabilities
        if conditions.hasClause, !can.reportsLeaving {
            limit("The table does not tell of rows that leave the clause: they stay until `refresh()`.")
        } else if !can.everyChange || (conditions.hasClause && !can.reportsEntering) {
            note(
                "The table does not tell whether a changed row was one of these before: while not all rows are here, "
                    + (can.revisions ? "they are counted again." : "the count is not sure.")
            )
        }
    }

    mutating func limitOrder(_ can: Capabilities) {
        guard !can.binaryOrder else { return }
        limit(
            can.keysetPages
                ? "The table does not promise to sort text by its bytes: it is asked where changed rows belong, and what many"
                    + " changes at once have done is read anew."
                : "The table does not promise to sort text by its bytes: a page in another order is refused, and changed rows"
                    + " are placed by bytes."
        )
    }
}

extension Guarantee {
    fileprivate init(_ promise: String, _ reasons: (inout ReasonList) -> Void) {
        var list = ReasonList()
        reasons(&list)
        self.init(promise: promise, strength: list.strength, reasons: list.reasons)
    }
}
