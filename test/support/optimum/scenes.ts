/** The two worlds in which route quality is measured. */
import { sandboxPools } from '../../../src/sandbox/market/catalog.js'
import { startSandbox } from '../../../src/sandbox/sandbox.js'
import { startAnvil } from '../anvil.js'
import { recordedPools, recordedSwaps, startRecordedNode } from '../recorded-mainnet.js'
import { openQualityScene, type QualityScene } from './scene.js'

export interface OpenScene {
  readonly scene: QualityScene
  close(): Promise<void>
}

/** At the sandbox's head. */
export async function openSandbox(): Promise<OpenScene> {
  const sandbox = await startSandbox()
  const pools = sandboxPools()
  const scene = await openQualityScene({ nodeUrl: sandbox.url, callUrl: sandbox.url, pools })
  return {
    scene,
    async close() {
      scene.close()
      await sandbox.stop()
    },
  }
}

/** At the block before the recorded swaps; only where the recording is. */
export async function openRecorded(): Promise<OpenScene> {
  const { stateBlock } = recordedSwaps()
  const node = await startRecordedNode()
  const fork = await startAnvil([
    ...['--fork-url', node.url, '--fork-block-number', String(stateBlock), '--chain-id', '1'],
    ...['--no-mining', '--no-storage-caching', '--no-rate-limit'],
  ])
  const scene = await openQualityScene({
    nodeUrl: node.url,
    callUrl: fork.url,
    pools: recordedPools(),
  })
  return {
    scene,
    async close() {
      scene.close()
      await fork.stop()
      await node.stop()
    },
  }
}
