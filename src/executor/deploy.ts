/**
 * Deploys the contracts through the deterministic deployment proxy, so that every chain has them at the
 * same addresses. Safe to repeat: contracts that are already deployed are skipped.
 */
import { concatHex, createPublicClient, createWalletClient, custom, hexToNumber } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { defined } from '../domain/defined.js'
import { ForkrouteError } from '../domain/errors.js'
import type { Address, Hex } from '../domain/primitives.js'
import type { RpcClient } from '../rpc/node/json-rpc.js'
import { createRpcClient, JsonRpcError, TransportError } from '../rpc/node/json-rpc.js'
import {
  deploymentProxy,
  type ExecutorContractName,
  executorContracts,
  type Landing,
  type StandaloneContractName,
  standaloneContracts,
  zeroSalt,
} from './deployments.js'
import { settlementCode } from './order-settlement.js'

export interface PlannedContract {
  readonly name: ExecutorContractName | StandaloneContractName | Landing['name']
  readonly address: Address
  /** Whose landing it is, where a chain has several of the name. */
  readonly pool?: Address
  /** The contract whose constructor deploys this one; null: the deployment proxy does. */
  readonly deployer: ExecutorContractName | null
  /** `different`: the address has other code. The chain runs another EVM, or its node lies. */
  readonly state: 'present' | 'absent' | 'different'
}

export interface DeploymentPlan {
  readonly chainId: number
  readonly contracts: readonly PlannedContract[]
}

export interface DeployedContract extends PlannedContract {
  /** Null for a contract that was already there, and for one that a constructor deployed. */
  readonly transactionHash: Hex | null
  readonly gasUsed: bigint | null
}

/** What a chain's bridges pay. */
export type LandingsOf = (chainId: number) => readonly Landing[]

/** With what the deployment proxy is called; null where a constructor of ours deploys it. */
interface Deployable extends Omit<PlannedContract, 'state'> {
  readonly initCode: Hex | null
  readonly runtimeCode: Hex
}

/**
 * What a deployment would do on the chain behind `rpcUrl`.
 * @param extras - contracts that only some services need.
 * @throws ForkrouteError UPSTREAM_UNAVAILABLE when the node does not answer, INVALID_REQUEST when the chain
 *   has no deterministic deployment proxy.
 */
export async function planDeployment(
  rpcUrl: string,
  landingsOf: LandingsOf,
  extras: readonly StandaloneContractName[] = [],
): Promise<DeploymentPlan> {
  return await withNode(rpcUrl, (client) => plan(client, { landingsOf, extras }))
}

/**
 * Deploys what is absent, one transaction after the other, and checks the code at every address.
 *
 * @param args.privateKey - pays for the deployment; gets no right over the contracts.
 * @param args.confirm - asked once, only when something is absent; false deploys nothing.
 * @throws ForkrouteError as planDeployment; INVALID_REQUEST also when the node refuses a transaction,
 *   or when an address has other code.
 */
export async function deployContracts(args: {
  readonly rpcUrl: string
  readonly privateKey: Hex
  readonly landingsOf: LandingsOf
  readonly extras?: readonly StandaloneContractName[]
  readonly confirm: (plan: DeploymentPlan) => boolean | Promise<boolean>
}): Promise<{ readonly chainId: number; readonly contracts: readonly DeployedContract[] }> {
  const { landingsOf, extras = [] } = args
  const wanted = { landingsOf, extras }
  return await withNode(args.rpcUrl, async (client) => {
    const before = await plan(client, wanted)
    const unchanged = before.contracts.map((contract) => ({ ...contract, ...nothingSent }))
    refuseDifferent(before)
    const absent = before.contracts.filter(({ state }) => state === 'absent')
    if (absent.length === 0 || !(await args.confirm(before))) {
      return { chainId: before.chainId, contracts: unchanged }
    }
    const sent = new Map<Address, { transactionHash: Hex; gasUsed: bigint }>()
    const absentAddresses = new Set(absent.map(({ address }) => address))
    for (const { name, address, initCode } of deployablesOn(before.chainId, wanted)) {
      if (!absentAddresses.has(address) || !initCode) continue
      sent.set(address, await deployOne(client, args.privateKey, name, initCode))
    }
    const after = await plan(client, wanted)
    refuseDifferent(after)
    const missing = after.contracts.filter(({ state }) => state === 'absent')
    if (missing.length > 0) {
      const names = missing.map(({ name }) => name)
      throw new ForkrouteError('INVALID_REQUEST', `Not deployed: ${names.join(', ')}.`, { names })
    }
    const contracts = after.contracts.map((contract) => ({
      ...contract,
      ...(sent.get(contract.address) ?? nothingSent),
    }))
    return { chainId: after.chainId, contracts }
  })
}

const nothingSent = { transactionHash: null, gasUsed: null } as const

async function plan(client: RpcClient, wanted: Wanted): Promise<DeploymentPlan> {
  const codeAt = (address: Address) => client.request<Hex>('eth_getCode', [address, 'latest'])
  if ((await codeAt(deploymentProxy)) === '0x') {
    const message = `The chain has no deterministic deployment proxy at ${deploymentProxy}.`
    throw new ForkrouteError('INVALID_REQUEST', message, { address: deploymentProxy })
  }
  const chainId = hexToNumber(await client.request<Hex>('eth_chainId'))
  const contracts: PlannedContract[] = []
  for (const { initCode: _, runtimeCode, ...contract } of deployablesOn(chainId, wanted)) {
    const code = await codeAt(contract.address)
    const state = code === '0x' ? 'absent' : code === runtimeCode ? 'present' : 'different'
    contracts.push({ ...contract, state })
  }
  return { chainId, contracts }
}

/** What is deployed besides the contracts that every service needs. */
interface Wanted {
  readonly landingsOf: LandingsOf
  readonly extras: readonly StandaloneContractName[]
}

/** Runtime code of these depends on the chain. */
const standaloneCode: Readonly<Record<StandaloneContractName, (chainId: number) => Hex>> = {
  OrderSettlement: settlementCode,
}

function deployablesOn(chainId: number, { landingsOf, extras }: Wanted): Deployable[] {
  const names = Object.keys(executorContracts) as ExecutorContractName[]
  const everywhere = names.map((name): Deployable => {
    const { address, deployer, initCode, runtimeCode } = executorContracts[name]
    return { name, address, deployer, initCode: deployer ? null : initCode, runtimeCode }
  })
  const landings = landingsOf(chainId).map(
    ({ name, address, pool, initCode, runtimeCode }): Deployable => {
      const own = { name, address, deployer: null, initCode, runtimeCode }
      return { ...own, ...defined({ pool }) }
    },
  )
  const others = extras.map((name): Deployable => {
    const { address, deployer, initCode } = standaloneContracts[name]
    return { name, address, deployer, initCode, runtimeCode: standaloneCode[name](chainId) }
  })
  return [...everywhere, ...others, ...landings]
}

function refuseDifferent({ contracts }: DeploymentPlan): void {
  const different = contracts.filter(({ state }) => state === 'different')
  if (different.length === 0) return
  const list = different.map(({ name, address }) => `${name} at ${address}`).join(', ')
  throw new ForkrouteError('INVALID_REQUEST', `The chain has other code for ${list}.`)
}

async function deployOne(
  client: RpcClient,
  privateKey: Hex,
  name: string,
  initCode: Hex,
): Promise<{ transactionHash: Hex; gasUsed: bigint }> {
  const transport = custom({
    request: ({ method, params }) => client.request(method, params),
  })
  const wallet = createWalletClient({ account: privateKeyToAccount(privateKey), transport })
  const transactionHash = await wallet.sendTransaction({
    chain: null,
    to: deploymentProxy,
    data: concatHex([zeroSalt, initCode]),
  })
  const receipt = await createPublicClient({ transport }).waitForTransactionReceipt({
    hash: transactionHash,
    // viem would ignore a block that comes while it looks for a replacement, and a local node may mine no other.
    checkReplacement: false,
    pollingInterval: 500,
  })
  if (receipt.status === 'reverted') {
    const details = { name, transactionHash }
    throw new ForkrouteError('INVALID_REQUEST', `The deployment of ${name} reverted.`, details)
  }
  return { transactionHash, gasUsed: receipt.gasUsed }
}

/** Runs `use` and translates errors of the node; its URL is kept out of every message. */
async function withNode<T>(rpcUrl: string, use: (client: RpcClient) => Promise<T>): Promise<T> {
  const client = createRpcClient(rpcUrl)
  try {
    return await use(client)
  } catch (error) {
    if (error instanceof ForkrouteError) throw error
    const cause = findCause(error)
    if (cause instanceof TransportError) {
      throw new ForkrouteError('UPSTREAM_UNAVAILABLE', cause.message, undefined, { cause })
    }
    if (cause) throw new ForkrouteError('INVALID_REQUEST', `The node refuses: ${cause.message}`)
    throw error
  } finally {
    await client.close()
  }
}

/** The node's own error, unwrapped from viem's. */
function findCause(error: unknown): TransportError | JsonRpcError | null {
  for (let next = error; next instanceof Error; next = next.cause) {
    if (next instanceof TransportError || next instanceof JsonRpcError) return next
  }
  return null
}
