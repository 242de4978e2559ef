/** One action of a protocol as a transaction of our own, executed on an Anvil of its own. */
import type { ChainDefinition } from '../../../src/chains/chain.js'
import { ethereum } from '../../../src/chains/ethereum.js'
import {
  type Amount,
  type ExecutorStep,
  isAmountRef,
  type RoutingStrategy,
} from '../../../src/domain/order.js'
import { type Address, zeroAddress } from '../../../src/domain/primitives.js'
import type { StateReader } from '../../../src/domain/state.js'
import { buildTransaction, runnerAddress } from '../../../src/executor/compile.js'
import { contractAddress, type executorContracts } from '../../../src/executor/deployments.js'
import type { ActionResult, ProtocolAction } from '../../../src/protocols/positions.js'
import type { ProtocolAdapter } from '../../../src/protocols/protocol.js'
import { asSent, type ExecuteArgs, type Execution, executeOnFork } from '../execute.js'

export interface ActionArgs {
  readonly adapter: ProtocolAdapter
  readonly reader: StateReader
  readonly action: ProtocolAction
  readonly args: Readonly<Record<string, unknown>>
  readonly from: Address
  readonly receiver: Address
  readonly strategy?: RoutingStrategy
  readonly chain?: ChainDefinition
}

export interface BuiltAction {
  readonly steps: readonly ExecutorStep[]
  readonly result: ActionResult
  readonly runner: Address
}

/** @param args.args - as the action declares them. Throws what the action refuses. */
export async function buildAction(args: ActionArgs): Promise<BuiltAction> {
  const { adapter, from, receiver, strategy = 'router', chain = ethereum } = args
  const definition = adapter.actions?.definitions.find(({ action }) => action === args.action)
  if (!definition) throw new Error(`no ${args.action}`)
  const steps: ExecutorStep[] = []
  const runner = runnerAddress(strategy, from)
  const result = await definition.build(args.args as never, {
    chain,
    venue: chain.venues[adapter.slug] ?? {},
    reader: args.reader,
    runner,
    account: strategy === 'router' ? from : runner,
    receiver,
    deadline: 2n ** 32n - 1n,
    helper: (name) => contractAddress(name as keyof typeof executorContracts),
    positionOf: async () => null,
    valueOf: async (amount: Amount) => {
      if (isAmountRef(amount)) throw new Error('nothing was simulated before')
      return amount
    },
    add: (step) => steps.push(step) - 1,
    refuse: (argument, expected) => {
      throw new Error(`${argument}: ${expected}`)
    },
  })
  return { steps, result, runner }
}

/**
 * Makes its prerequisites, pulls what the action spends, pays its outputs to the receiver and sends leftovers back to
 * the sender.
 */
export async function executeAction(
  args: ActionArgs & Pick<ExecuteArgs, 'nodeUrl' | 'watch' | 'prepare'>,
): Promise<Execution & { readonly built: BuiltAction }> {
  const { from, receiver, reader, strategy = 'router', watch, nodeUrl } = args
  const built = await buildAction(args)
  const { steps, result } = built
  const inputs = result.spends.flatMap(({ token, amount }) =>
    isAmountRef(amount) ? [] : [{ token, amount }],
  )
  const outputs = result.outputs.flatMap(({ token, isPaid }) =>
    token && !isPaid ? [{ token, minAmountOut: 0n }] : [],
  )
  const tx = buildTransaction({
    strategy,
    from,
    order: {
      inputs,
      feeReceiver: zeroAddress,
      steps,
      outputs,
      receiver,
      refundReceiver: from,
      sweep: [...(result.leftovers ?? [])],
      deadline: reader.block.timestamp + 1_000n,
      accountId: `0x${'0'.repeat(64)}`,
      referralCode: `0x${'0'.repeat(32)}`,
    },
  })
  const sent = asSent({ ...tx, value: tx.value.toString() }, strategy, from)
  const done = await executeOnFork({
    nodeUrl,
    blockNumber: Number(reader.block.number),
    tx: sent.tx,
    watch,
    fund: inputs,
    approve: contractAddress(strategy === 'wallet-v2' ? 'WalletFactory' : 'Router'),
    deploy: true,
    first: (result.prerequisites ?? []).map(({ to, data }) => ({ from, to, data, value: '0' })),
    async prepare(anvil) {
      await args.prepare?.(anvil)
      await sent.prepare?.(anvil)
    },
  })
  return { ...done, built }
}
