/** Puts together what explaining mined transactions of one chain takes: its node, an archive before it, and forks. */

import { chainById, hardForkAt } from '../chains/registry.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'
import { executorContracts } from '../executor/deployments.js'
import { ForkPool } from '../forks/pool.js'
import { startArchive } from '../rpc/archive/archive.js'
import { createRpcClient } from '../rpc/node/json-rpc.js'
import { type Explanation, explainTransaction } from './explain-transaction.js'
import { createRerun } from './rerun.js'

export interface Mined {
  /** @throws ForkrouteError as `explainTransaction`. */
  explain(hash: Hex, options?: { readonly simulatedAt?: bigint }): Promise<Explanation>
  close(): Promise<void>
}

/**
 * @param options.url - of the node; it has to have the state of the block before the transaction.
 * @param options.priorityFeePerGas - wei; default the chain's.
 * @throws ForkrouteError UNKNOWN_CHAIN.
 */
export async function openMined(options: {
  readonly chainId: number
  readonly url: string
  readonly verifyHeaderHash: boolean
  readonly priorityFeePerGas?: bigint
}): Promise<Mined> {
  const { chainId, url, verifyHeaderHash } = options
  const definition = chainById(chainId)
  if (!definition) throw new ForkrouteError('UNKNOWN_CHAIN', `Chain ${chainId} is not known here.`)
  const { priorityFeePerGas = definition.priorityFeePerGas } = options
  const node = createRpcClient(url)
  const archive = await startArchive({
    dataDir: null,
    chains: [{ chainId, urls: [url], verifyHeaderHash }],
  })
  const forks = new ForkPool({
    archiveUrl: archive.forkUrl,
    hardForkOf: hardForkAt,
    contracts: Object.fromEntries(
      Object.values(executorContracts).map(({ address, runtimeCode }) => [address, runtimeCode]),
    ),
    forksPerBlock: 1,
  })
  const pin = (number: bigint) => archive.pin(chainId, number)
  const rerun = createRerun({
    chain: { ...definition, priorityFeePerGas },
    node,
    forks,
    pin,
  })
  return {
    explain: (hash, asked) => explainTransaction({ chainId, node, pin, rerun }, hash, asked),
    async close() {
      await forks.close()
      await archive.close()
      await node.close()
    },
  }
}
