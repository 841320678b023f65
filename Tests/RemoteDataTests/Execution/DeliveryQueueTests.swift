import RemoteDataExecution
import Dispatch
import Synchronization
import Testing

@testable import RemoteData

@Suite(.timeLimit(.minutes(1))) struct DeliveryQueueTests {
    @Test func jobsRunInOrderAndNeverInsideTheCall() async {
        for queue in [DeliveryQueue.privateQueue, .queue(DispatchQueue(label: "mine"))] {
            let order = Mutex<[Int]>([])
            let done = OneShot<Void>()
            queue.run {
                for number in 1..<100 { queue.run { order.withLock { $0.append(number) } } }
                order.withLock { $0.append(0) }
                queue.run { done.resume(.success(())) }
            }
            try? await done.value()
            #expect(order.withLock { $0 } == Array(0..<100))
        }
    }

    @Test func aQueueOfTheCallersOwnIsUsed() async throws {
        let ran = Counter()
        let queue = DeliveryQueue.custom { job in
            ran.add(1)
            DispatchQueue.global().async(execute: job)
        }
        let done = OneShot<Void>()
        queue.run { done.resume(.success(())) }
        try await done.value()
        #expect(ran.value == 1)
    }
}
