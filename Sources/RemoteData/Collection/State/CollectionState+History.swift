// Servers that begin anew: revisions of two histories cannot be compared.
//
// What comes of another history than the rows here is a gap: it is not used, and the rows are compared with
// the table. The count that the comparison begins with leads into the new history, and everything that was
// known by revisions of the old one is forgotten there. So all revisions in the state belong to one history.
extension CollectionState {
    /// Whether a revision belongs to the history that the rows here are of; true where that is unknown.
    func isOfThisHistory(_ revision: Revision?) -> Bool {
        guard let revision, let known = applied ?? counted else { return true }
        return revision.isOfSameHistory(as: known)
    }

    /// Whether a revision of a row belongs to a history that is over.
    func isOfFormerHistory(_ revision: Revision?) -> Bool {
        !isOfThisHistory(revision) || revision?.rawValue == 0
    }

    /// The highest revision of this history that has come, also with changes that wait; nil where none has.
    var newestKnown: Revision? {
        guard let known = applied ?? counted else { return nil }
        return [liveSince, received].compactMap(\.self).filter(isOfThisHistory).reduce(known, max)
    }

    /// Whether an answer that was asked for when a revision had been reached shows that the table has begun
    /// anew: by another epoch, or where there are none by a lower revision.
    func showsNewHistory(_ revision: Revision?, askedAt reached: Revision?) -> Bool {
        guard isOfThisHistory(revision), let revision, let reached else { return !isOfThisHistory(revision) }
        return revision.epoch == nil && revision < reached
    }

    /// Whether the changes up to a revision have not all been applied; false where none leads to it.
    func isToCome(_ revision: Revision) -> Bool {
        guard let applied else { return false }
        return revision.isLater(than: applied)
    }

    /// Up to which revision the table was known: a feed that begins before the former one shows that it
    /// had been known beyond the count that everything has continued from since.
    private func formerEnd(_ known: Revision) -> Revision {
        guard let liveSince, let fence, liveSince.isOfSameHistory(as: known),
            fence.isOfSameHistory(as: known),
            fence < liveSince
        else { return known }
        return max(known, liveSince)
    }

    /// Forgets what is known by revisions, if a count shows that the table has begun anew.
    ///
    /// A table without epochs, or with a backup put back under the same epoch, shows it by a count that is
    /// lower than before, after its changes could not be resumed. One without epochs also shows it by a count
    /// that is lower than the revision at the time of the request.
    ///
    /// - Parameters:
    ///   - count: The count that everything is to go on from.
    ///   - reached: The revision that was known when it was asked for.
    mutating func enterHistory(of count: Count, askedAt reached: Revision?) {
        guard let new = count.revision, let known = applied ?? counted else { return }
        let isOther = !new.isOfSameHistory(as: known)
        guard showsNewHistory(new, askedAt: reached) || (needsResync && new < formerEnd(known)) else {
            return
        }
        if !isOther {
            index.leaveHistory()
            held.leaveHistory()
            answered = AnsweredChanges()
        }
        answered.enter(historyOf: new)
        own.forgetRevisions()
        // One of neither belongs to a history that began later, and leads there.
        if !isOther || liveSince?.isOfSameHistory(as: known) ?? true { liveSince = nil }
        (applied, counted, ahead, repair) = (nil, nil, nil, nil)
        proof.forgetOpen()
        log = []
        trimPending()
        pending = pending.compactMap { event in
            // What comes of neither is of a history that began later, and leads there.
            guard let revision = event.revision, isOther, revision.isOfSameHistory(as: known) else {
                return event
            }
            if case .live = event { return .live(nil) }
            return nil
        }
        received = pending.last { $0.revision != nil }?.revision
        for id in cursors.keys { cursors[id]?.beginHistory() }
    }
}
