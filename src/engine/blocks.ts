/** The engine's methods that find blocks: by number, by time, by the events in them, and the next new head. */
import { untilAborted } from '../domain/abort.js'
import { unknownBlock } from '../domain/common-errors.js'
import type { Engine } from '../domain/engine.js'
import type { Archive } from '../rpc/archive/archive.js'
import { findBlockAtTime } from './block-at-time.js'
import type { ConfiguredChains } from './configured-chains.js'
import type { Pins } from './pins.js'
import type { TaskRunner } from './task-runner.js'

export function createBlocks(parts: {
  readonly chains: ConfiguredChains
  readonly archive: Pick<Archive, 'header' | 'changedBlocks'>
  readonly pins: Pick<Pins, 'after'>
  readonly pin: TaskRunner['pin']
}): Pick<Engine, 'block' | 'blockAtTime' | 'changedBlocks' | 'headAfter'> {
  const { chains, archive, pins, pin } = parts
  return {
    block: (chainId, at, context) =>
      pin({ chainId, blockNumber: at === 'latest' ? undefined : at }, context),

    async blockAtTime(chainId, timestamp, context) {
      const head = await pin({ chainId }, context)
      const { blockTimeSeconds } = chains.of(chainId)
      const header = (number: bigint) =>
        untilAborted(archive.header(chainId, number), context.signal)
      return findBlockAtTime({ head, timestamp, blockTimeSeconds, header })
    },

    async changedBlocks({ chainId, ...question }, context) {
      const head = await pin({ chainId }, context)
      if (question.to > head.number) {
        const block = { chainId, number: question.to }
        throw unknownBlock(block, `Block ${block.number} is not there yet.`)
      }
      return untilAborted(archive.changedBlocks(chainId, question), context.signal)
    },

    headAfter: (chainId, after, { signal }) => pins.after(chains.of(chainId).id, after, signal),
  }
}
