import RemoteDataTesting
import Testing

@testable import RemoteData

/// Generated histories of several who have lists and models.
@Suite(.timeLimit(.minutes(5))) struct ProviderHistoryTests {
    @Test func whoeverActsWhenAllIsToldHasTheSameAsAllOthersInTheEnd() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 1_500)) { number in
            await ProviderHistory(seed: UInt64(number), isInOrder: true).fault()
        }
        #expect(faults.isEmpty, "history \(faults.first?.number ?? 0): \(faults.first?.fault ?? "")")
    }

    @Test func whoeverActsBeforeAllIsToldHasTheSameAsAllOthersInTheEnd() async {
        let faults = await Campaign.faults(in: Campaign.size(quick: 1_500)) { number in
            await ProviderHistory(seed: UInt64(1_000_000 + number), isInOrder: false).fault()
        }
        #expect(faults.isEmpty, "history \(faults.first?.number ?? 0): \(faults.first?.fault ?? "")")
    }
}
