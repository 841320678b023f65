import RemoteDataTesting

@testable import RemoteData

// Comparing what is here with the table after a gap.
extension CollectionHistory {
    /// Does the next thing of a repair: asks, has the table answer, or takes the answer.
    mutating func repair() {
        if state.needsResync { return beginRepair() }
        guard let (read, answer) = repairRead else {
            switch state.nextRepair(limit: random.number(1..<9), idColumn: "objectId") {
            case .read(let read):
                repairRead = (read, nil)
                trail.append("compares: asked for \(read.kind)")
            case .drain: deliver()
            case .done:
                let (applied, isOver) = state.endRepair(idColumn: "objectId")
                trail.append(isOver ? "everything is compared" : "another gap waits")
                if isOver, !state.isRecounted, !trouble.contains(.impatience),
                    let fault = differenceOfLoaded()
                {
                    faults.append(fault)
                }
                told("the end of the repair", applied)
            case .impossible: faults.append("the repair is impossible")
            }
            return
        }
        guard let answer else {
            var request = read.fetch.request
            if read.isCount { request.limit = .max }
            repairRead?.answer = table.page(request)
            return trail.append("compares: read at \(table.revision)")
        }
        repairRead = nil
        take(answer, for: read)
    }

    private mutating func beginRepair() {
        repairRead = nil
        switch repairCount {
        case nil:
            repairCount = (state.beginWatch(), nil)
            trail.append("repair: asked for the count")
        case (let watch, nil)?:
            repairCount = (watch, table.count)
            trail.append("repair: counted at \(table.revision)")
        case (let watch, let count?)?:
            repairCount = nil
            defer { state.endWatch(watch) }
            guard state.needsResync else { return }
            if !state.beginRepair(at: count, since: watch, stamp: stamp) {
                state.reset(to: count, since: watch)
                shadow = ShadowCollection(state)
            }
            trail.append("repair begins as of \(count.revision?.description ?? "")")
        }
    }

    private mutating func take(_ page: Page, for read: RepairRead) {
        if trouble.contains(.failures), random.chance(5) {
            state.giveUp(read)
            return told("compares: the read failed")
        }
        guard read.isCount else {
            do throws(RemoteDataError) {
                let (applied, isUsed) = try state.take(page, for: read)
                told(
                    "compares: a page of \(page.rows.map(\.number)), \(isUsed ? "used" : "not used")",
                    applied
                )
            } catch { faults.append("a page to compare with: \(error)") }
            return
        }
        let count = Count(page.rows.count, revision: page.revision)
        let (applied, isUsed) = state.take(count, for: read)
        told("compares: \(count.value) of \(read.kind), \(isUsed ? "used" : "not used")", applied)
    }

    /// How what is here differs from the table at the revision that was reached.
    private func differenceOfLoaded() -> String? {
        guard state.applied == Revision(table.revision), state.pendingCount == 0 else { return nil }
        let rows = Dictionary(uniqueKeysWithValues: table.rows.map { ($0.id, $0) })
        var fault: String?
        state.index.forEachLoaded { _, row in
            if rows[row.id]?.json != row.json { fault = "\(row) is not as in the table after the repair" }
        }
        return fault
    }
}
