/** The two setups in which route quality is measured. */
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startAnvil } from '../anvil.js'
import { recordedPools, recordedSwaps, startRecordedNode } from '../recorded-mainnet.js'
import { openQualityContext, type QualityContext } from './quality-context.js'

export interface OpenQualityContext {
  readonly context: QualityContext
  close(): Promise<void>
}

/** At the sandbox's head. @param options.hasIndex - as of `openQualityContext`. */
export async function openSandbox(
  options: { readonly hasIndex?: boolean } = {},
): Promise<OpenQualityContext> {
  const sandbox = await startSandbox()
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
