// What others say of rows.
extension CollectionState {
    /// Takes what others say of a row.
    ///
    /// - Parameters:
    ///   - hint: What they say.
    ///   - readAt: When the newest page was asked for: what is not here was not there then.
    ///   - isOutdated: Whether the table has spoken of a row since a time.
    /// - Returns: What is to be told.
    mutating func hear(_ hint: RowHint, readAt: UInt64, unless isOutdated: (RowID, UInt64) -> Bool)
        -> [Applied]
    {
        var told: [Applied] = []
        tell(nil, in: &told)
        switch hint {
        case .change(let change, let isWhole, isSameTable: true, _): tell(hear(change, isWhole), in: &told)
        case .change(let change, _, isSameTable: false, let time):
            // The collection's own table has said something newer.
            if let id = change.id, isOutdated(id, time) { break }
            if let former = change.formerID { tell(lose(former), in: &told) }
            if let row = change.row {
                // Its revision is another table's.
                tell(show(Row(id: row.id, json: row.json)), in: &told)
            } else if let id = change.id {
                // One that left a clause is still there.
                if !change.left { tell(lose(id), in: &told) }
            } else {
                for row in rows(where: change.predicate) { tell(lose(row.id), in: &told) }
            }
        case .model(let patch, let row, let time):
            guard !isOutdated(row.id, time) else { break }
            let known = self.row(row.id).flatMap { known in
                (try? JSONObject.merging(patch, into: known.json)).map { Row(id: known.id, json: $0) }
            }
            if known != nil || time > readAt { tell(show(known ?? row), in: &told) }
        case .parts(let id, let patch, let time):
            guard !isOutdated(id, time), let known = self.row(id),
                let json = try? JSONObject.merging(patch, into: known.json)
            else { break }
            tell(show(Row(id: id, json: json)), in: &told)
        case .gone(let id, let time): if !isOutdated(id, time) { tell(lose(id), in: &told) }
        }
        evict()
        return told
    }

    /// Takes a change of the collection's table that somebody else was told of, where none come or not now.
    private mutating func hear(_ change: Change, _ isWhole: Bool) -> Applied? {
        guard isOfThisHistory(change.revision) else {
            loseTrack()
            return nil
        }
        if let revision = change.revision, let known = applied ?? counted, revision <= known { return nil }
        let known = (change.formerID ?? change.id).flatMap(row)
        if let last = known?.revision, let revision = change.revision, last.reaches(revision) { return nil }
        if rest(of: change) == nil { return nil }
        if query.filter?.hasSubQuery ?? false {
            // Only the table knows which rows match.
            noteDoubt()
            guard let known, let row = change.row else { return nil }
            return show(Row(id: known.id, revision: row.revision, json: row.json))
        }
        noteOtherWrite(change)
        guard let id = change.id else {
            let predicate = change.predicate
            return heard(Change(revision: change.revision, kind: .bulkDeleted, predicate: predicate))
        }
        var key = known.map { Key($0, sort: query.sort) }
        key?.certainty = .vague
        guard let row = change.row, query.mayHave(row) else {
            // One that left another clause may still match this one.
            guard !change.left || change.row != nil else {
                noteDoubt()
                return nil
            }
            let kind = ChangeKind.deleted
            let left = change.row != nil
            return heard(
                Change(revision: change.revision, kind: kind, id: id, left: left, previousKey: key),
                isSure: known != nil || isWhole
            )
        }
        let isNew = known == nil && change.kind == .created && isWhole
        let kind: ChangeKind = isNew || (known == nil && index.gapCount == 0) ? .created : .updated
        return heard(
            Change(
                revision: change.revision,
                kind: kind,
                row: row,
                previousKey: key,
                formerID: change.formerID
            ),
            isSure: known != nil || isNew
        )
    }

    /// Applies a change that is written down for the pages under way.
    private mutating func heard(_ change: Change, isSure: Bool = false) -> Applied? {
        if !isSure, index.gapCount > 0 { noteDoubt() }
        remember(change)
        note(.ownChange(change))
        return update(change, isOwn: false)
    }

    /// Where no changes come: what others wrote behind the count is known, or is not.
    private mutating func noteOtherWrite(_ change: Change) {
        noteAhead(change)
        guard following == .off, let revision = change.revision, let counted else { return }
        if revision == counted.next {
            self.counted = revision
        } else if revision > counted {
            ahead = max(revision, ahead ?? revision)
            noteDoubt()
        }
    }

    /// Shows a row that is not the table's word: where it was here, where it sorts now, and otherwise where its neighbours are.
    private mutating func show(_ row: Row) -> Applied? {
        guard let known = self.row(row.id) else {
            guard !ordersByPlace, !(query.filter?.hasSubQuery ?? false), query.mayHave(row) else {
                return nil
            }
            let key = Key(row, sort: query.sort)
            if case .gap = index.place(of: key) { return nil }
            return update(Change(revision: nil, kind: .created, row: row), isOwn: false)
        }
        var shown = row.at(row.revision ?? known.revision)
        if let place = known.place { shown = shown.at(place) }
        guard query.mayHave(shown) else { return lose(row.id) }
        return update(Change(revision: nil, kind: .updated, row: shown), isOwn: false)
    }

    /// Shows a row no longer.
    private mutating func lose(_ id: RowID) -> Applied? {
        guard row(id) != nil else { return nil }
        return update(Change(revision: nil, kind: .deleted, id: id), isOwn: false)
    }

    private func rows(where predicate: Where?) -> [Row] {
        let matcher = predicate.map { Where.Matcher($0) }
        let matches = { (row: Row) in matcher?.matches(row) ?? true }
        return index.loadedRanges(where: matches).rows + held.rows.map(\.row).filter(matches)
    }
}
