import RemoteDataTesting

// Actions in words, for whoever reads what a failing batch did.

extension Action: CustomStringConvertible {
    var description: String {
        switch self {
        case .write(let write): "\(write)"
        case .own(let collection, let write): "collection \(collection) \(write)"
        case .read(let collection, let reading): "collection \(collection) \(reading)"
        case .fault(let fault): "\(fault)"
        case .pause(let milliseconds): "pause \(milliseconds) ms"
        }
    }
}

extension OtherWrite: CustomStringConvertible {
    var description: String {
        switch self {
        case .create(let rows): "create " + rows.map(\.text).joined(separator: ", ")
        case .upsert(let row): "upsert \(row.text)"
        case .update(let id, let patch): "update \(id) \(patch.text)"
        case .updateAll(let clause, let patch): "update where \(clause) \(patch.text)"
        case .delete(let id): "delete \(id)"
        case .deleteAll(let clause): "delete where \(clause)"
        }
    }
}

extension OwnWrite: CustomStringConvertible {
    var description: String {
        switch self {
        case .add(let row): "adds \(row.text)"
        case .update(let place, let patch): "updates its \(place). \(patch.text)"
        case .remove(let place): "removes its \(place)."
        case .removeAll(let clause): "removes where \(clause)"
        }
    }
}

extension Reading: CustomStringConvertible {
    var description: String {
        switch self {
        case .iterate(let isBlocking, let pace, let limit):
            "iterates\(isBlocking ? " blocking" : "")\(limit.map { " \($0) rows" } ?? ""), \(pace) µs each"
        case .row(let place): "reads its \(place)."
        case .prefetch(let place, let count): "prefetches \(count) from its \(place)."
        case .populate: "populates"
        case .refresh: "refreshes"
        }
    }
}

extension Fault: CustomStringConvertible {
    var description: String {
        switch self {
        case .cut(let abruptly): "CUT\(abruptly ? " abruptly" : "")"
        case .cutInMessage(let direction, let bytes): "CUT after \(bytes) bytes \(direction)"
        case .stall(let milliseconds): "STALL \(milliseconds) ms"
        case .refuse(let milliseconds): "REFUSE \(milliseconds) ms"
        case .refuseChanges(let milliseconds): "REFUSE changes \(milliseconds) ms"
        case .slowHandler(let collection, let milliseconds):
            "SLOW handler of collection \(collection), \(milliseconds) ms"
        case .kill(let write, let milliseconds):
            "KILL \(milliseconds) ms" + (write.map { " during \($0)" } ?? "")
        case .killAndForget(let write): "KILL and forget all but \(write)"
        case .beginAnew(let history): "BEGIN ANEW with \(history)"
        }
    }
}

extension NewHistory: CustomStringConvertible {
    var description: String {
        switch self {
        case .sameRows: "the same rows"
        case .copy(let lost, let milliseconds, let overtaking):
            "a copy, without (\(lost.map(\.description).joined(separator: ", "))) of \(milliseconds) ms"
                + (overtaking.map { ", overtaken by \($0)" } ?? "")
        case .nothing(let milliseconds, let rows): "nothing, and after \(milliseconds) ms \(rows)"
        }
    }
}

extension ScenarioValue {
    fileprivate var text: String { String(decoding: json, as: UTF8.self) }
}
