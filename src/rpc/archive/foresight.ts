/**
 * What calls will read, as a node tells it in one round: a fork that runs a contract for the first time asks for its
 * slots one by one, each a round trip to the node. A hint only: it decides what is read early, never what is answered.
 */
import { namesIn } from '../hints/call-kind.js'
import type { BlockRef } from '../node/answer.js'
import { codeKey } from '../node/state-item.js'
import type { Upstream } from '../node/upstream.js'
import type { ChainSource, ForeseenCall } from './chain-source.js'
import type { StateBook } from './state-book.js'

export function createForesight(parts: {
  readonly upstream: Pick<Upstream, 'touched' | 'tellsTouched'>
  readonly states: Pick<StateBook, 'find'>
  readonly ahead: ChainSource['ahead']
}): ChainSource['foresee'] {
  const { upstream, states, ahead } = parts

  async function foresee({ to, data }: ForeseenCall, at: BlockRef): Promise<void> {
    const touched = await upstream.touched(to, data, at)
    if (touched.ok) await Promise.all(touched.value.map((key) => ahead(key, at)))
  }

  return (calls, at) => {
    if (!upstream.tellsTouched()) return
    // A contract that was called at recent blocks was read ahead with all that it used then, but not for other things.
    const fresh = calls.filter(
      ({ to, data }) => namesIn(data).length > 0 || states.find(codeKey(to), at) === null,
    )
    for (const call of fresh) foresee(call, at).catch(() => undefined)
  }
}
