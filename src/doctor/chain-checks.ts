/** What a chain has of our contracts and of the bridges that its definition names: the part of `doctor` that looks at chains. */
import { bridges } from '../bridges/registry.js'
import { missed, type Probe } from '../chains/probe.js'
import { chainById } from '../chains/registry.js'
import type { Hex } from '../domain/primitives.js'
import { planDeployment } from '../executor/deploy.js'
import { createRpcClient, JsonRpcError } from '../rpc/node/json-rpc.js'
import { landingsOf, titleOf } from './own-contracts.js'

/**
 * One sentence. Contracts that are absent are no fault: routes are found without them.
 * @throws Error where an address has other code; ForkrouteError as `planDeployment`.
 */
export async function checkContracts(rpcUrl: string): Promise<string> {
  const { contracts } = await planDeployment(rpcUrl, landingsOf)
  const those = (state: string) => contracts.filter((one) => one.state === state)
  const different = those('different')
  if (different.length > 0) {
    const where = different.map((one) => `${titleOf(one)} at ${one.address}`)
    throw new Error(`other code than ours: ${where.join(', ')}`)
  }
  const absent = those('absent')
  const present = contracts.length - absent.length
  if (absent.length === 0) return `all ${present} present, those that receive from bridges included`
  const names = absent.map(titleOf).join(', ')
  return `${present} of ${contracts.length} present, absent: ${names}\ntransactions of routes and deliveries work only after: forkroute contracts deploy`
}

/**
 * One sentence; null where no bridge is on the chain. A chain that has none of the contracts, as at a block before
 * them, is no fault either: it has no lanes.
 * @throws Error that names each contract that is not as it should be.
 */
export async function checkBridges(chainId: number, rpcUrl: string): Promise<string | null> {
  const chain = chainById(chainId)
  const probes = chain ? bridges.flatMap((bridge) => bridge.probes(chain)) : []
  if (probes.length === 0) return null
  const client = createRpcClient(rpcUrl)
  try {
    const request: Ask = (method, params) => client.request(method, params)
    const found = await Promise.all(probes.map((probe) => problemOf(probe, request)))
    const problems = found.flatMap((problem) => problem ?? [])
    const addresses = new Set(probes.map(({ to }) => to))
    if (found.every((problem) => problem?.absent)) {
      return `none of ${addresses.size} contracts has code: no route over a bridge starts or ends here`
    }
    if (problems.length > 0) throw new Error(problems.map(({ text }) => text).join('; '))
    return `${addresses.size} contracts are there, and answer as they should`
  } finally {
    await client.close()
  }
}

type Ask = (method: string, params: readonly unknown[]) => Promise<Hex>

interface Problem {
  readonly text: string
  /** The address has no code at all. */
  readonly absent: boolean
}

/** Null where it is as it should be. */
async function problemOf(probe: Probe, ask: Ask): Promise<Problem | null> {
  const { title, to, data } = probe
  if ((await ask('eth_getCode', [to, 'latest'])) === '0x') {
    return { text: `${title}: no code at ${to}`, absent: true }
  }
  try {
    const answer = await ask('eth_call', [{ to, data }, 'latest'])
    const expected = missed(probe, answer)
    if (expected === null) return null
    return { text: `${title}: ${to} answers ${answer} in place of ${expected}`, absent: false }
  } catch (error) {
    if (!(error instanceof JsonRpcError)) throw error
    return { text: `${title}: ${to} reverts`, absent: false }
  }
}
