/** The two setups in which route quality is measured. */
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startAnvil } from '../anvil.js'
import { recordedPools, recordedSwaps, startRecordedNode } from '../recorded-mainnet.js'
import { openQualityContext, type QualityContext } from './quality-context.js'

export interface OpenQualityContext {
  readonly context: QualityContext
  close(): Promise<void>
}

/**
 * At the sandbox's head.
 *
 * @param options.hasIndex - as of `openQualityContext`, as is `estimates`.
 * @param options.place - puts further venues on the chain.
 * @param options.tokens - that they trade beside those of the sandbox's pools.
 */
export async function openSandbox({
  place,
  ...options
}: {
  readonly hasIndex?: boolean
  readonly estimates?: boolean
  readonly place?: (url: string) => Promise<void>
  readonly tokens?: readonly Address[]
} = {}): Promise<OpenQualityContext> {
  const sandbox = await startSandbox()
  await place?.(sandbox.url)
  const pools = sandboxPools()
  const context = await openQualityContext({
    nodeUrl: sandbox.url,
    callUrl: sandbox.url,
    pools,
    ...options,
  })
  return {
    context,
    async close() {
      context.close()
      await sandbox.stop()
    },
  }
}

/** At the block before the recorded swaps; only where the recording is. */
export async function openRecorded(): Promise<OpenQualityContext> {
  const { stateBlock } = recordedSwaps()
  const node = await startRecordedNode()
  const fork = await startAnvil([
    ...['--fork-url', node.url, '--fork-block-number', String(stateBlock), '--chain-id', '1'],
    ...['--no-mining', '--no-storage-caching', '--no-rate-limit'],
  ])
  const context = await openQualityContext({
    nodeUrl: node.url,
    callUrl: fork.url,
    pools: recordedPools(),
  })
  return {
    context,
    async close() {
      context.close()
      await fork.stop()
      await node.stop()
    },
  }
}
