import Fuzzing

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    // SAFETY: libFuzzer keeps the bytes until this returns; they are copied here.
    let input = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    do throws(FuzzFinding) {
        try RowCheck.run(input)
    } catch { fatalError("Finding: \(error)") }
    return 0
}
