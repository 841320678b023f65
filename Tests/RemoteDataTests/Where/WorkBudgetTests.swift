import Synchronization
import Testing

@testable import RemoteData

/// Clauses end when the work that may be done for them is used up.
struct WorkBudgetTests {
    private static let clauses = [
        "s MATCHES '(.{0,30}){0,30}Q'", "s LIKE '%x\(String(repeating: "_", count: 600))Q%'",
        (0..<1_000).map { "s LIKE '%\($0)Q%'" }.joined(separator: " OR "),
        (0..<1_000).map { "s CONTAINS \($0)" }.joined(separator: " OR "),
    ]

    private func row(_ size: Int) -> Row {
        let text = String(repeating: "x", count: size)
        return Row(id: 1, json: Array(#"{"objectId":1,"s":"\#(text)"}"#.utf8)[...])
    }

    @Test("A budget is used up by more steps than it has, and by no fewer")
    func steps() {
        let budget = WorkBudget(steps: 10)
        #expect(budget.take(10))
        #expect(!budget.isUsedUp)
        #expect(!budget.take(1))
        #expect(budget.isUsedUp)
        budget.renew()
        #expect(!budget.take(1))
    }

    @Test("A budget that is not used up has as many steps again")
    func renewed() {
        let budget = WorkBudget(steps: 10)
        for _ in 0..<3 {
            #expect(budget.take(10))
            budget.renew()
        }
    }

    @Test("A part of a budget takes from the whole, and not the other way around")
    func parts() {
        let whole = WorkBudget(steps: 10, within: nil)
        let part = WorkBudget(steps: 5, within: whole)
        #expect(!part.take(6))
        #expect(part.isUsedUp)
        #expect(!whole.isUsedUp)
        let other = WorkBudget(steps: 50, within: whole)
        #expect(!other.take(5))
        #expect(whole.isUsedUp)
        #expect(other.isUsedUp)
    }

    @Test("A time that has passed is noticed by the work")
    func time() {
        let budget = WorkBudget(until: .now - .seconds(1))
        #expect(budget.take(1))
        #expect(!budget.take(1 << 17))
        let other = WorkBudget(until: .now + .seconds(1_000_000))
        #expect(other.take(1 << 17))
    }

    @Test("What was stopped has no result")
    func stopped() {
        let budget = WorkBudget()
        #expect(budget.run { 1 } == 1)
        #expect(budget.run { budget.stop() } == nil)
        #expect(budget.run { 1 } == nil)
    }

    @Test("Evaluating a clause ends soon behind the last step", arguments: clauses)
    func clause(text: String) throws {
        let matcher = Where.Matcher(try Where(text))
        let row = row(5_000)
        let whole = WorkBudget(within: nil)
        #expect(whole.run { matcher.matches(row) } == false)
        #expect(whole.taken.load(ordering: .relaxed) > 1_000_000)
        let budget = WorkBudget(steps: 100_000, within: nil)
        #expect(budget.run { matcher.matches(row) } == nil)
        #expect(budget.taken.load(ordering: .relaxed) < 150_000)
    }
}
