import Foundation
import Signals
import Testing

/// Signals that programs wait for.
@Suite(.timeLimit(.minutes(1))) struct SignalTests {
    /// One that comes while nobody has begun to wait, too.
    @Test func aSignalIsNotMissedThatComesAtOnce() async {
        for number in [SIGUSR1, SIGUSR2] {
            let signals = Signals.stream(of: [number])
            kill(getpid(), number)
            var came: Int32?
            for await signal in signals {
                came = signal
                break
            }
            #expect(came == number)
        }
    }

    @Test func everyoneWhoWaitsForASignalHearsOfItAndOfNoOther() async {
        let (first, second) = (Signals.stream(of: [SIGUSR1]), Signals.stream(of: [SIGUSR1, SIGUSR2]))
        kill(getpid(), SIGUSR2)
        kill(getpid(), SIGUSR1)
        var came: [Int32] = []
        for await signal in first {
            came.append(signal)
            break
        }
        #expect(came == [SIGUSR1])
        came = []
        for await signal in second {
            came.append(signal)
            if came.count == 2 { break }
        }
        #expect(came.sorted() == [SIGUSR1, SIGUSR2].sorted())
    }
}
