import FaultyNetwork
import RemoteData
import RemoteDataTesting

/// Makes batches from a seed: which writes, readings and faults, in which order.
struct Planner {
    var generator: SeededGenerator
    private let rows: Int
    private let collections: Int
    private let isAlwaysCalm: Bool
    private var lastID = 0
    /// The rows there may be, those made first in front.
    private var ids: [String] = []

    init(_ arguments: Arguments) {
        // Seeds in a row would otherwise begin alike.
        var mixer = SeededGenerator(seed: arguments.seed &* 0x2545_F491_4F6C_DD1D)
        generator = SeededGenerator(seed: mixer.next())
        (rows, collections, isAlwaysCalm) = (arguments.rows, arguments.collections, arguments.isCalm)
    }

    /// The rows a table begins with.
    mutating func firstRows() -> [ScenarioValue] {
        ids = []
        // Every column has to have been there once, or the table refuses the clause.
        return [newRow().merging(["a": 1, "b": 1, "s": "x"])] + (1..<max(2, rows)).map { _ in newRow() }
    }

    /// The next batch; a calm one has no faults.
    mutating func batch() -> Batch {
        let isCalm = generator.chance(3) || isAlwaysCalm
        let beginsTable = generator.chance(25)
        var actions: [Action] = []
        for number in 0..<collections where !generator.chance(4) {
            actions.append(.read(collection: number, iteration()))
        }
        if beginsTable { actions += beginning(isCalm: isCalm) }
        for _ in 0..<generator.number(5..<40) {
            switch generator.number(0..<20) {
            case 0..<10: actions.append(.write(otherWrite()))
            case 10..<13: actions.append(.own(collection: generator.number(0..<collections), ownWrite()))
            case 13..<17: actions.append(.read(collection: generator.number(0..<collections), reading()))
            case 17: actions.append(.pause(generator.pick([1, 5, 20, 60])))
            default: if !isCalm { actions.append(.fault(fault())) }
            }
        }
        // What nobody removed goes when there are too many.
        while ids.count > rows * 5 / 4 { actions.append(.write(.delete(.text(ids.removeFirst())))) }
        return Batch(actions: actions, isCalm: isCalm, beginsTable: beginsTable)
    }

    /// What happens to a table that is not there yet, up to its first rows.
    private mutating func beginning(isCalm: Bool) -> [Action] {
        var actions: [Action] = []
        for _ in 0..<generator.number(0..<4) {
            actions.append(.read(collection: generator.number(0..<collections), reading()))
            if !isCalm, generator.chance(2) { actions.append(.fault(fault(isWriting: false))) }
        }
        return actions + [.write(.create(firstRows()))]
    }

    private mutating func fault(isWriting: Bool = true) -> Fault {
        switch generator.number(0..<(isWriting ? 17 : 11)) {
        case 0..<3: .cut(abruptly: generator.chance(2))
        case 3..<6: .cutInMessage(generator.chance(3) ? .up : .down, bytes: generator.number(0..<5_000))
        case 6: .stall(milliseconds: generator.pick([10, 100, 400, 2_500]))
        case 7: .refuse(milliseconds: generator.pick([10, 100, 400, 2_500]))
        case 8, 9: .refuseChanges(milliseconds: generator.pick([10, 100, 400, 1_500]))
        case 10: .kill(during: nil, milliseconds: generator.pick([0, 0, 50, 300]))
        case 11:
            .slowHandler(
                collection: generator.number(0..<collections),
                milliseconds: generator.pick([1, 5, 20])
            )
        case 12: .killAndForget(.upsert(newRow()))
        case 13, 14: .beginAnew(newHistory())
        default:
            .kill(
                during: generator.chance(2) ? otherWrite() : nil,
                milliseconds: generator.pick([0, 0, 50, 300])
            )
        }
    }
}

// MARK: - Histories

extension Planner {
    private mutating func newHistory() -> NewHistory {
        switch generator.number(0..<5) {
        case 0: return .sameRows
        case 1: return .nothing(milliseconds: generator.pick([0, 20, 200]), then: .create(firstRows()))
        default:
            let lost = (0..<generator.number(1..<20)).map { _ in otherWrite() }
            return .copy(
                lost: lost,
                milliseconds: generator.pick([0, 20, 200]),
                overtaking: generator.chance(2) ? .upsert(newRow()) : nil
            )
        }
    }
}

// MARK: - Writing

extension Planner {
    private mutating func otherWrite() -> OtherWrite {
        switch generator.number(0..<20) {
        case 0..<4: return .create([newRow()])
        case 4: return .create((0..<generator.number(2..<max(3, rows / 8))).map { _ in newRow() })
        case 5..<12: return .update(.text(someID()), patch())
        case 12..<15: return .delete(.text(someID()))
        case 15, 16:
            let row = newRow()
            return .upsert(generator.chance(2) ? row : row.merging(["objectId": .text(someID())]))
        case 17: return .updateAll(narrowClause(), ["a": number()])
        default: return .deleteAll(narrowClause())
        }
    }

    private mutating func ownWrite() -> OwnWrite {
        switch generator.number(0..<10) {
        case 0..<3: .add(newRow())
        case 3..<7: .update(generator.number(0..<1_000), patch())
        case 7, 8: .remove(generator.number(0..<1_000))
        default: .removeAll(narrowClause())
        }
    }

    private mutating func number() -> ScenarioValue {
        generator.chance(6) ? .null : .integer(Int64(generator.number(0..<8)))
    }

    private mutating func large() -> ScenarioValue {
        generator.chance(8) ? .null : .integer(Int64(generator.number(-500..<500)))
    }

    private mutating func text() -> ScenarioValue {
        generator.chance(6)
            ? .null : .text(generator.pick(["x", "xa", "X", "y", "", "é", "日本", "it's \"so\"\n", "😀"]))
    }

    private mutating func newRow() -> ScenarioValue {
        lastID += 1
        // Not in the order in which they are made.
        let id = "r\(lastID * 37 % 101 + lastID / 101 * 101)"
        ids.append(id)
        return ["objectId": .text(id), "a": number(), "b": large(), "s": text()]
    }

    private mutating func patch() -> ScenarioValue {
        switch generator.number(0..<4) {
        case 0: ["a": number()]
        case 1: ["b": large()]
        case 2: ["s": text()]
        default: ["a": number(), "b": large(), "s": text()]
        }
    }

    private mutating func someID() -> String { generator.pick(ids) }
}

// MARK: - Reading

extension Planner {
    private mutating func iteration() -> Reading {
        .iterate(
            isBlocking: generator.chance(2),
            pace: generator.pick([0, 200, 500, 1_000, 2_000]),
            limit: generator.chance(4) ? generator.number(1..<50) : nil
        )
    }

    private mutating func reading() -> Reading {
        switch generator.number(0..<10) {
        case 0..<4: iteration()
        case 4..<6: .row(generator.number(0..<1_000))
        case 6..<8: .prefetch(generator.number(0..<1_000), count: generator.number(1..<30))
        case 8: .populate
        default: generator.chance(3) ? .refresh : .row(generator.number(0..<1_000))
        }
    }
}
