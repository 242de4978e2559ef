/** One way to ask for logs of many blocks: in ranges as large as the nodes accept. */

/** Both ends included. */
export interface BlockSpan {
  readonly from: bigint
  readonly to: bigint
}

/** `ok: false`: every node refuses the range. */
export type RangeAnswer<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string }

/** Ranges that must pass in a row before twice the length is tried: every refusal is a wasted request. */
const passesToGrow = 8

/**
 * The values in the order of their ranges. One that is refused is halved, down to one block, and grows again where ranges
 * pass. Where it cannot go on, the last is a refusal, with the block at which it stands.
 *
 * @param limits.mostBlocks - of the first request, and of any.
 * @param limits.mostRequests - after which it is given up; absent: never.
 * @throws what `ask` throws.
 */
export async function* inRanges<T>(
  { from, to }: BlockSpan,
  { mostBlocks, mostRequests }: { readonly mostBlocks: bigint; readonly mostRequests?: number },
  ask: (range: BlockSpan) => Promise<RangeAnswer<T>>,
): AsyncGenerator<RangeAnswer<T> & { readonly from: bigint }> {
  let size = mostBlocks
  let passes = 0
  let requests = 0
  for (let start = from; start <= to; ) {
    if (requests === mostRequests) {
      yield { ok: false, message: `${requests} requests were not enough`, from: start }
      return
    }
    requests += 1
    const end = start + size - 1n < to ? start + size - 1n : to
    const answer = await ask({ from: start, to: end })
    if (answer.ok) {
      yield { ...answer, from: start }
      start = end + 1n
      passes += 1
      if (passes % passesToGrow === 0 && size < mostBlocks) size *= 2n
    } else if (end > start) {
      size = (end - start + 1n) / 2n
      passes = 0
    } else {
      yield { ...answer, from: start }
      return
    }
  }
}
