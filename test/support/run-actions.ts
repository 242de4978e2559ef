/**
 * Actions of one protocol as one transaction on a fork of its own: what the core makes of a bundle, in small.
 * Amounts are known in advance or refer to earlier steps; inputs are what the actions spend.
 */
import type { Hex } from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Amount, ExecutorStep, Order, RoutingStrategy } from '../../src/domain/order.js'
import { type Address, zeroAddress } from '../../src/domain/primitives.js'
import { buildTransaction, runnerAddress } from '../../src/executor/compile.js'
import { contractAddress, type ExecutorContractName } from '../../src/executor/deployments.js'
import { executorErrorsAbi } from '../../src/executor/errors.js'
import { isDelegate, spenderOf } from '../../src/executor/strategies.js'
import { decodeRevert } from '../../src/forks/revert.js'
import type { ActionContext, ActionResult, ProtocolAction } from '../../src/protocols/positions.js'
import type { ProtocolAdapter } from '../../src/protocols/protocol.js'
import { createRpcClient, JsonRpcError } from '../../src/rpc/node/json-rpc.js'
import type { TestAnvil } from './anvil.js'
import { asSent, type ExecuteArgs, type Execution, executeOnFork } from './execute.js'
import { nodeReader } from './nodes/node-reader.js'

export interface ActionCall {
  readonly action: ProtocolAction
  readonly args: Readonly<Record<string, unknown>>
}

export interface RunActionsArgs {
  readonly nodeUrl: string
  readonly protocol: ProtocolAdapter
  readonly from: Address
  readonly calls: readonly ActionCall[]
  readonly strategy?: RoutingStrategy
  readonly receiver?: Address
  /** Leaves out what the account must have allowed. */
  readonly withoutPrerequisites?: boolean
  readonly watch?: ExecuteArgs['watch']
  /** True: the sender has and has allowed what the actions spend; else it is given that. */
  readonly isReady?: boolean
  readonly prepare?: (anvil: TestAnvil) => Promise<void>
  readonly inspect?: (anvil: TestAnvil) => Promise<void>
}

export interface ActionsRun extends Execution {
  readonly results: readonly ActionResult[]
  /** Why it would revert; null where it does not. */
  readonly reason: string | null
}

/** What `refuse` throws here. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError'
}

/** The account whose debts and positions they are, by strategy. */
export function accountOf(strategy: RoutingStrategy, from: Address): Address {
  return strategy === 'wallet-v2' ? runnerAddress(strategy, from) : from
}

export async function buildActions(args: RunActionsArgs) {
  const { protocol, from, strategy = 'router' } = args
  const venue = ethereum.venues[protocol.slug]
  if (!venue || !protocol.actions) throw new Error(`${protocol.slug} has no actions`)
  const steps: ExecutorStep[] = []
  const account = accountOf(strategy, from)
  const receiver = args.receiver ?? account
  const reader = await nodeReader(args.nodeUrl)
  const results: ActionResult[] = []
  for (const { action, args: values } of args.calls) {
    const definition = protocol.actions.definitions.find((each) => each.action === action)
    if (!definition) throw new Error(`${protocol.slug} has no ${action}`)
    const context: ActionContext = {
      chain: ethereum,
      venue,
      reader,
      runner: runnerAddress(strategy, from),
      account,
      receiver,
      deadline: 2n ** 32n - 1n,
      helper: (name) => contractAddress(name as ExecutorContractName),
      positionOf: async () => null,
      valueOf: async (amount) => {
        if (typeof amount !== 'bigint') throw new Error('the amount is not known here')
        return amount
      },
      add: (step) => steps.push(step) - 1,
      refuse(argument, expected) {
        throw new RefusedError(`${action}.${argument}: expected ${expected}`)
      },
    }
    results.push(await definition.build(values as never, context))
  }
  const order: Order = {
    inputs: inputsOf(results),
    feeReceiver: zeroAddress,
    steps,
    outputs: outputTokens(results).map((token) => ({ token, minAmountOut: 0n })),
    receiver,
    refundReceiver: account,
    sweep: results.flatMap(({ leftovers = [] }) => [...leftovers]),
    deadline: 2n ** 40n,
    accountId: `0x${'00'.repeat(32)}`,
    referralCode: `0x${'00'.repeat(16)}`,
  }
  const tx = buildTransaction({ strategy, from, order })
  return { tx: { ...tx, value: tx.value.toString() }, order, results, reader }
}

export async function runActions(args: RunActionsArgs): Promise<ActionsRun> {
  const { from, strategy = 'router', watch = [], withoutPrerequisites = false } = args
  const { tx, order, results, reader } = await buildActions(args)
  const sent = asSent(tx, strategy, from)
  const spender = isDelegate(strategy) ? null : spenderOf(strategy)
  let reason: string | null = null
  const prerequisites = withoutPrerequisites
    ? []
    : results.flatMap(({ prerequisites: list = [] }) => [...list])
  const execution = await executeOnFork({
    nodeUrl: args.nodeUrl,
    blockNumber: Number(reader.block.number),
    watch,
    ...(!args.isReady && { fund: order.inputs, ...(spender && { approve: spender }) }),
    first: prerequisites.map(({ to, data }) => ({ from, to, data, value: '0' })),
    ...sent,
    ...(args.inspect && { inspect: args.inspect }),
    async prepare(anvil) {
      await sent.prepare?.(anvil)
      await args.prepare?.(anvil)
      // Only what an account runs itself can be asked for its reason before the approvals are there.
      if (isDelegate(strategy)) reason = await reasonOf(anvil, sent.tx, args)
    },
  })
  return { ...execution, results, reason }
}

async function reasonOf(
  anvil: TestAnvil,
  { from, to, data }: { readonly from: Address; readonly to: Address; readonly data: Hex },
  { protocol }: RunActionsArgs,
): Promise<string | null> {
  const client = createRpcClient(anvil.url)
  try {
    await client.request('eth_call', [{ from, to, data }, 'latest'])
    return null
  } catch (error) {
    const returned = error instanceof JsonRpcError ? error.data : null
    const abi = [...executorErrorsAbi, ...(protocol.actions?.errorsAbi ?? [])]
    return typeof returned === 'string' ? decodeRevert(returned as Hex, abi) : String(error)
  } finally {
    await client.close()
  }
}

function inputsOf(results: readonly ActionResult[]) {
  const amounts = new Map<Address, bigint>()
  for (const { token, amount } of results.flatMap(({ spends }) => spends)) {
    if (isKnown(amount)) amounts.set(token, (amounts.get(token) ?? 0n) + amount)
  }
  return [...amounts].map(([token, amount]) => ({ token, amount }))
}

function isKnown(amount: Amount): amount is bigint {
  return typeof amount === 'bigint'
}

function outputTokens(results: readonly ActionResult[]): Address[] {
  const outputs = results.flatMap(({ outputs: list }) => list.filter(({ isPaid }) => !isPaid))
  return [...new Set(outputs.flatMap(({ token }) => (token ? [token] : [])))]
}
