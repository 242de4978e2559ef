/** Builds the sandbox chain on a fresh Anvil and writes two files: the head in Anvil's format, and the history. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { numberToHex } from 'viem'
import type { Hex } from '../domain/primitives.js'
import { createRpcClient, type RpcClient } from '../rpc/node/json-rpc.js'
import { sandboxAccount } from './accounts.js'
import { canonicalPlacements, openCanonical } from './bridges/canonical.js'
import { openBridges } from './bridges/open-bridges.js'
import { placeArbitrum } from './bridges/place-arbitrum.js'
import { bridgePlacements, placeFeeLibraries } from './bridges/place-bridges.js'
import { placeCctp } from './bridges/place-cctp.js'
import { placeOfts } from './bridges/place-oft.js'
import { placeStandardBridge } from './bridges/place-standard-bridge.js'
import { startAnvil } from './chain/anvil-process.js'
import { createChainWriter } from './chain/chain-writer.js'
import { type DumpedAccounts, recordHistory } from './chain/history.js'
import type { Placement } from './chain/placement.js'
import { codeOf, loadArtifacts } from './contracts/artifacts.js'
import { deployContracts } from './market/deploy-contracts.js'
import { deployExecutor } from './market/deploy-executor.js'
import { openMarket } from './market/open-market.js'
import { equipTraders } from './market/traders.js'
import { settle, trade } from './market/trading.js'
import type { SandboxPlan } from './plans/plan.js'
import type { VenueTools } from './venues/venue.js'

/** Block gas limit while contracts are deployed; below, the limit afterwards. */
const openingGasLimit = 2_000_000_000n
const usualGasLimit = 36_000_000n
/** Wei; pays for all of the wrapped ether. */
const deployerBalance = 10n ** 26n

export const stateFile = 'state.json'
export const historyFile = 'history.json.gz'

/** What is done, and how much of all is done, 0 to 1. */
export type OnProgress = (message: string, fraction: number) => void

export interface SandboxSummary {
  /** Number of the newest block. */
  readonly blockNumber: number
}

interface Dump {
  readonly accounts: DumpedAccounts
  readonly transactions: readonly { readonly info: object }[]
}

/**
 * Writes `stateFile` and `historyFile` into `directory`, which exists.
 *
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when the contracts cannot be downloaded.
 */
export async function buildSandbox(args: {
  readonly plan: SandboxPlan
  readonly cacheDir: string
  readonly directory: string
  readonly onProgress: OnProgress
}): Promise<SandboxSummary> {
  const { plan, cacheDir, directory, onProgress } = args
  const { market, venues } = plan
  const artifacts = await loadArtifacts(cacheDir, (message) => onProgress(message, 0))
  onProgress('starting an empty chain', 0.3)
  const anvil = await startAnvil({
    chainId: market.chain.id,
    timestamp: plan.genesisTimestamp,
    noMining: true,
  })
  const client = createRpcClient(anvil.url, { timeoutMs: 60_000 })
  const deployer = sandboxAccount('deployer').address
  try {
    const chain = createChainWriter(client)
    await chain.all([
      { method: 'anvil_setBlockTimestampInterval', params: [plan.blockSeconds] },
      { method: 'evm_setBlockGasLimit', params: [numberToHex(openingGasLimit)] },
      { method: 'anvil_setBalance', params: [deployer, numberToHex(deployerBalance)] },
    ])
    onProgress('deploying the contracts', 0.35)
    const code = (key: string) => codeOf(artifacts, key)
    const [before, after] = bridgePlacements(market, plan.others, deployer, code)
    const canonical = canonicalPlacements(market.chain, code)
    const further: [Placement[], Placement[]] = [before, [...after, ...canonical]]
    await deployContracts({ chain, deployer, market, artifacts, further })
    await placeFeeLibraries(chain, market.chain, deployer, code('stargateFees'))
    onProgress('opening the pools', 0.4)
    await openMarket(chain, deployer, market)
    const tools: VenueTools = { chain, deployer, code }
    for (const venue of venues) await venue.open(tools)
    deployExecutor(chain, market)
    await openBridges(chain, deployer, market, plan.others)
    // Behind the users' transactions, whose gas price must not depend on it.
    await equipTraders({ chain, deployer, market, code })
    await openCanonical(chain, deployer, market.chain)
    await chain.mine()
    await placeCctp(chain, market.chain, plan.others, deployer)
    await placeOfts(chain, {
      definition: market.chain,
      others: plan.others,
      tokens: market.tokens,
      owner: deployer,
    })
    await placeStandardBridge(chain, { market, owner: deployer }, code)
    await placeArbitrum(chain, market.chain, deployer)
    await chain.all([{ method: 'evm_setBlockGasLimit', params: [numberToHex(usualGasLimit)] }])
    await settle(chain, market)
    await chain.checkReceipts()
    const base = await dump(client)
    const firstBlock = await head(client)
    const beforeBlock = (block: number) => {
      for (const venue of venues) venue.beforeBlock?.(tools, block)
    }
    await trade(chain, {
      deployer,
      market,
      walk: plan.prices(),
      beforeBlock,
      onProgress: (fraction) => onProgress('trading', 0.45 + 0.35 * fraction),
    })
    await chain.checkReceipts()
    onProgress('saving the chain', 0.8)
    const last = await dump(client)
    onProgress('saving the history', 0.85)
    const lastBlock = await head(client)
    const history = await recordHistory(chain, {
      firstBlock,
      lastBlock,
      base: base.accounts,
      head: last.accounts,
    })
    const packed = await promisify(gzip)(JSON.stringify(history), { level: 1 })
    await writeFile(join(directory, historyFile), packed)
    // The call traces are six times as long as all the rest, and Anvil makes them anew where they are asked for.
    const transactions = last.transactions.map((entry) => ({
      ...entry,
      info: { ...entry.info, traces: [] },
    }))
    await writeFile(join(directory, stateFile), JSON.stringify({ ...last, transactions }))
    onProgress('the sandbox chain is ready', 1)
    return { blockNumber: lastBlock }
  } finally {
    await client.close()
    await anvil.stop()
  }
}

async function dump(client: RpcClient): Promise<Dump> {
  const blob = await client.request<Hex>('anvil_dumpState', [false])
  const json = await promisify(gunzip)(Buffer.from(blob.slice(2), 'hex'))
  return JSON.parse(json.toString()) as Dump
}

async function head(client: RpcClient): Promise<number> {
  return Number(await client.request<Hex>('eth_blockNumber'))
}
