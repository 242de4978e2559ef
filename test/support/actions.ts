/**
 * Carries out single actions of protocols on a fork of its own: builds the steps as a bundle does, funds the sender by
 * Anvil's own means, sends the one transaction, and reports what the chain says happened.
 */
import { type Abi, encodeFunctionData, numberToHex, parseAbi } from 'viem'
import type { VenueParameters } from '../../src/chains/chain.js'
import { ethereum } from '../../src/chains/ethereum.js'
import type { Amount, ExecutorStep, RoutingStrategy } from '../../src/domain/order.js'
import { type Address, type Hex, isNative, nativeToken } from '../../src/domain/primitives.js'
import type { ReadResult, StateReader } from '../../src/domain/state.js'
import { buildTransaction, runnerAddress } from '../../src/executor/compile.js'
import { contractAddress } from '../../src/executor/deployments.js'
import { executorErrorsAbi } from '../../src/executor/errors.js'
import { spenderOf } from '../../src/executor/strategies.js'
import { decodeRevert } from '../../src/forks/revert.js'
import {
  type ActionContext,
  type ActionResult,
  argumentsOf,
  type ProtocolAction,
} from '../../src/protocols/positions.js'
import type { ProtocolAdapter } from '../../src/protocols/protocol.js'
import { createRpcClient, type RpcClient } from '../../src/rpc/node/json-rpc.js'
import { startAnvil, type TestAnvil } from './anvil.js'
import { readPin } from './pin.js'

const erc20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256)',
])

/** Wei that a sender has at least, so that gas is no matter. */
const gasMoney = 10n ** 19n

/** What an action refused, as the core turns it into INVALID_REQUEST. */
export class Refused extends Error {
  constructor(
    readonly argument: string,
    readonly expected: string,
  ) {
    super(`${argument}: expected ${expected}`)
  }
}

export interface ActionRun {
  readonly action: ProtocolAction
  readonly args: Readonly<Record<string, unknown>>
  readonly strategy: RoutingStrategy
  readonly from: Address
  readonly receiver?: Address
  /** Steps before those of the action, such as one that others refer to. */
  readonly before?: readonly ExecutorStep[]
  /** Pulled besides what the action spends. */
  readonly inputs?: readonly { readonly token: Address; readonly amount: bigint }[]
  /** Balances whose changes are reported. */
  readonly watch: readonly { readonly token: Address; readonly owner: Address }[]
}

export interface ActionRunResult {
  readonly status: 'success' | 'reverted'
  /** Why it reverted, decoded; empty on success. */
  readonly reason: string
  readonly deltas: readonly bigint[]
  readonly result: ActionResult
  readonly steps: readonly ExecutorStep[]
  /** What runs the steps: nothing of a token should stay there. */
  readonly runner: Address
}

export class ActionFork {
  private constructor(
    private readonly anvil: TestAnvil,
    readonly client: RpcClient,
    private readonly adapter: ProtocolAdapter,
    readonly venue: VenueParameters,
  ) {}

  /**
   * @param blockNumber - absent: the head of the node.
   * @param venue - absent: that of the chain.
   */
  static async start(
    nodeUrl: string,
    adapter: ProtocolAdapter,
    blockNumber?: bigint,
    venue: VenueParameters = ethereum.venues[adapter.slug] ?? {},
  ): Promise<ActionFork> {
    const anvil = await startAnvil([
      ...['--fork-url', nodeUrl, '--no-storage-caching', '--no-rate-limit', '--chain-id', '1'],
      ...(blockNumber === undefined ? [] : ['--fork-block-number', String(blockNumber)]),
      ...['--auto-impersonate', '--no-mining'],
    ])
    return new ActionFork(anvil, createRpcClient(anvil.url), adapter, venue)
  }

  async stop(): Promise<void> {
    await this.client.close()
    await this.anvil.stop()
  }

  deal(token: Address, owner: Address, amount: bigint): Promise<unknown> {
    return isNative(token)
      ? this.anvil.rpc('anvil_setBalance', [owner, numberToHex(amount)])
      : this.anvil.rpc('anvil_dealERC20', [owner, token, numberToHex(amount)])
  }

  /** A block of its own, these seconds after the last one. @throws when the transaction fails. */
  async send(from: Address, to: Address, abi: Abi, functionName: string, args: readonly unknown[]) {
    const data = encodeFunctionData({ abi, functionName, args })
    if (!(await this.#transact({ from, to, data, value: 0n }))) {
      throw new Error(`${functionName} failed`)
    }
  }

  async mineAfter(seconds: number): Promise<void> {
    await this.anvil.rpc('evm_increaseTime', [seconds])
    await this.anvil.rpc('evm_mine')
  }

  async balanceOf(token: Address, owner: Address): Promise<bigint> {
    if (isNative(token)) {
      return BigInt(await this.anvil.rpc<Hex>('eth_getBalance', [owner, 'latest']))
    }
    return this.read(token, erc20, 'balanceOf', [owner])
  }

  /** The first word that a view function answers. */
  async read(to: Address, abi: Abi, functionName: string, args: readonly unknown[] = []) {
    const data = encodeFunctionData({ abi, functionName, args })
    const value = await this.anvil.rpc<Hex>('eth_call', [{ to, data }, 'latest'])
    return BigInt(value.slice(0, 66))
  }

  /** Reads the newest block. */
  async reader(): Promise<StateReader> {
    const block = await readPin(this.anvil.url)
    const tag = numberToHex(block.number)
    return {
      block,
      storage: (reads) =>
        Promise.all(
          reads.map(async ({ address, slot }): Promise<ReadResult> => {
            const value = await this.anvil.rpc<Hex>('eth_getStorageAt', [address, slot, tag])
            return { ok: true, value }
          }),
        ),
      call: async (calls) => {
        const answers = await this.client.batch(
          calls.map(({ to, data, timestamp }) => {
            const later = timestamp === undefined ? [] : [{}, { time: numberToHex(timestamp) }]
            return { method: 'eth_call', params: [{ to, data }, tag, ...later] }
          }),
        )
        return answers.map((answer): ReadResult => {
          if (answer.ok) return { ok: true, value: answer.value as Hex }
          const { data, message } = answer.error
          const words = typeof data === 'string' ? decodeRevert(data as Hex) : message
          return { ok: false, reason: 'reverted', message: words }
        })
      },
    }
  }

  /** @throws Refused where the action refuses its arguments. */
  async run(wanted: ActionRun): Promise<ActionRunResult> {
    const { adapter } = this
    const { strategy, from, receiver = from } = wanted
    const definition = adapter.actions?.definitions.find(({ action }) => action === wanted.action)
    if (!definition) throw new Error(`${adapter.slug} has no action ${wanted.action}`)
    for (const name of Object.keys(wanted.args)) {
      if (!(name in argumentsOf(definition))) throw new Error(`${wanted.action} takes no ${name}`)
    }
    const steps: ExecutorStep[] = [...(wanted.before ?? [])]
    const runner = runnerAddress(strategy, from)
    const context: ActionContext = {
      chain: ethereum,
      venue: this.venue,
      reader: await this.reader(),
      runner,
      account: strategy.startsWith('router') ? from : runner,
      receiver,
      deadline: 2n ** 32n - 1n,
      helper: (name) => contractAddress(name as Parameters<typeof contractAddress>[0]),
      positionOf: async () => null,
      valueOf: async (amount: Amount) => {
        if (typeof amount === 'bigint') return amount
        throw new Error('the harness simulates no references')
      },
      add: (step) => steps.push(step) - 1,
      refuse: (argument, expected) => {
        throw new Refused(argument, expected)
      },
    }
    const result = await definition.build(wanted.args as never, context)
    const inputs = new Map<Address, bigint>()
    const known = result.spends.filter(({ amount }) => typeof amount === 'bigint')
    for (const { token, amount } of [...known, ...(wanted.inputs ?? [])]) {
      inputs.set(token, (inputs.get(token) ?? 0n) + (amount as bigint))
    }
    const kept = result.outputs.flatMap(({ token, isPaid }) => (token && !isPaid ? [token] : []))
    const tx = buildTransaction({
      strategy,
      from,
      order: {
        inputs: [...inputs].map(([token, amount]) => ({ token, amount })),
        feeReceiver: from,
        steps,
        outputs: [...new Set(kept)].map((token) => ({ token, minAmountOut: 1n })),
        receiver,
        refundReceiver: from,
        sweep: [...(result.leftovers ?? []), ...result.spends.map(({ token }) => token)].filter(
          (token) => !kept.includes(token),
        ),
        deadline: 2n ** 32n - 1n,
        accountId: `0x${'0'.repeat(64)}`,
        referralCode: `0x${'0'.repeat(32)}`,
      },
    })
    await this.#prepare(strategy, from, [...inputs.keys()], result)
    const isOwn = strategy.startsWith('delegate')
    const call = { from, to: isOwn ? from : tx.to, data: tx.data, value: isOwn ? 0n : tx.value }
    await this.#giveGas(from)
    const before = await this.#balances(wanted.watch)
    const reason = await this.#whyNot(call)
    const success = await this.#transact(call)
    const after = await this.#balances(wanted.watch)
    return {
      status: success ? 'success' : 'reverted',
      reason,
      deltas: after.map((amount, index) => amount - (before[index] ?? 0n)),
      result,
      steps,
      runner,
    }
  }

  /** Approvals and prerequisites, each in a block of its own. */
  async #prepare(
    strategy: RoutingStrategy,
    from: Address,
    tokens: readonly Address[],
    result: ActionResult,
  ): Promise<void> {
    const { prerequisites = [] } = result
    const spender = spenderOf(strategy)
    for (const token of tokens) {
      if (!spender || isNative(token)) continue
      await this.send(from, token, erc20, 'approve', [spender, 0n])
      await this.send(from, token, erc20, 'approve', [spender, 2n ** 256n - 1n])
    }
    for (const { to, data } of prerequisites) {
      if (!(await this.#transact({ from, to, data, value: 0n }))) throw new Error('prerequisite')
    }
    if (strategy.startsWith('delegate')) {
      const code = `0xef0100${contractAddress('Delegate').slice(2)}`
      await this.anvil.rpc('anvil_setCode', [from, code])
    }
  }

  async #whyNot(call: { from: Address; to: Address; data: Hex; value: bigint }): Promise<string> {
    const [answer] = await this.client.batch([
      { method: 'eth_call', params: [{ ...call, value: numberToHex(call.value) }, 'latest'] },
    ])
    if (!answer || answer.ok) return ''
    const { data, message } = answer.error
    const errors = [...executorErrorsAbi, ...(this.adapter.actions?.errorsAbi ?? [])]
    return typeof data === 'string' ? decodeRevert(data as Hex, errors) : message
  }

  async #transact(call: { from: Address; to: Address; data: Hex; value: bigint }) {
    const request = { ...call, value: numberToHex(call.value), gas: numberToHex(12_000_000n) }
    await this.#giveGas(call.from)
    const head = await readPin(this.anvil.url)
    const next = Number(head.timestamp) + ethereum.blockTimeSeconds
    await this.anvil.rpc('evm_setNextBlockTimestamp', [next])
    const hash = await this.anvil.rpc<Hex>('eth_sendTransaction', [request])
    await this.anvil.rpc('evm_mine')
    const receipt = await this.anvil.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [
      hash,
    ])
    return receipt?.status === '0x1'
  }

  async #giveGas(account: Address): Promise<void> {
    const balance = await this.balanceOf(nativeToken, account)
    if (balance < gasMoney) await this.deal(nativeToken, account, balance + 10n * gasMoney)
  }

  #balances(watch: ActionRun['watch']): Promise<bigint[]> {
    return Promise.all(watch.map(({ token, owner }) => this.balanceOf(token, owner)))
  }
}
