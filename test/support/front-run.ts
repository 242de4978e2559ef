/** Answers' transactions behind somebody else's: what a front-runner does is mined ahead of them in the same block. */
import { decodeErrorResult, encodeFunctionData, erc20Abi, numberToHex, parseAbi } from 'viem'
import { type Address, type Hex, isNative } from '../../src/domain/primitives.js'
import { executorErrorsAbi } from '../../src/executor/errors.js'
import { decodeRevert } from '../../src/forks/revert.js'
import { sandboxTokens } from '../../src/sandbox/tokens.js'
import type { TestAnvil } from './anvil.js'
import { askBundle, executeBundle } from './bundle.js'
import type { Execution } from './execute.js'
import type { Answer, TestService } from './service/service.js'

const whale: Address = '0x00000000000000000000000000000000000f0a1e'

/** What happens ahead of a transaction. */
export interface Move {
  /** One phrase. */
  readonly is: string
  /** Which way it takes the price, the rate or the cash that the transaction meets; one phrase. */
  readonly direction: string
  run(scene: Scene): Promise<void>
  /** What whoever has made it takes back behind the transaction, in the same block; absent: nothing. */
  readonly undo?: (scene: Scene) => Promise<void>
  /** The same with a fraction of the amount; absent where it has none. */
  readonly part?: (divisor: bigint) => Move
}

interface Scene {
  readonly service: Pick<TestService, 'post'>
  readonly blockNumber: number
  readonly anvil: Pick<TestAnvil, 'rpc'>
  /** Sends a transaction, which must succeed. */
  send(tx: { from: Address; to: Address; data: Hex; value?: bigint }): Promise<void>
}

interface Swap {
  readonly protocol: string
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amount: bigint
  readonly pool?: Address
}

/** A swap of the whale's by one protocol, or by one of its pools; it takes back what it has put in. */
export function swap(args: Swap): Move {
  const { tokenIn, tokenOut, amount } = args
  return {
    is: 'a swap',
    direction: `${nameOf(tokenIn)} to ${nameOf(tokenOut)}`,
    part: (divisor) => swap({ ...args, amount: amount / divisor }),
    async run(scene) {
      await give(scene.anvil, whale, tokenIn, amount)
      await sendSwap(scene, args)
    },
    async undo(scene) {
      // Ahead of everything in the block it gives what it was answered to give.
      const { amountsOut } = await askSwap(scene, args)
      const got = BigInt(amountsOut[tokenOut])
      await sendSwap(scene, { ...args, tokenIn: tokenOut, tokenOut: tokenIn, amount: got })
    },
  }
}

async function sendSwap(scene: Scene, args: Swap): Promise<void> {
  const { tokenIn, amount } = args
  const { to, data, value } = (await askSwap(scene, args)).tx
  if (!isNative(tokenIn)) {
    await scene.send({ from: whale, ...call(tokenIn, 'approve', [to, amount]) })
  }
  await scene.send({ from: whale, to, data, value: BigInt(value) })
}

const asked = new WeakMap<object, Map<string, Promise<Answer>>>()

/** At one block the answer is the same each time, so that it is asked once. */
async function askSwap({ service, blockNumber }: Scene, args: Swap): Promise<Answer['body']> {
  const { protocol, tokenIn, tokenOut, amount, pool } = args
  const action = {
    protocol,
    action: 'swap',
    args: {
      tokenIn,
      tokenOut,
      amountIn: amount.toString(),
      slippage: '10000',
      ...(pool && { primaryAddress: pool }),
    },
  }
  const known = asked.get(service) ?? new Map<string, Promise<Answer>>()
  asked.set(service, known)
  const key = JSON.stringify([blockNumber, action])
  const query = { fromAddress: whale, blockNumber: String(blockNumber) }
  const answer = known.get(key) ?? askBundle(service, query, [action])
  known.set(key, answer)
  const { status, body } = await answer
  if (status !== 200) throw new Error(`the whale cannot swap: ${JSON.stringify(body)}`)
  return body
}

function nameOf(token: Address): string {
  if (isNative(token)) return 'ETH'
  return sandboxTokens.find(({ address }) => address === token)?.symbol ?? token
}

/** The whale sends tokens to a contract that counts what it holds. */
export function donation(token: Address, to: Address, amount: bigint): Move {
  return {
    is: 'a donation',
    direction: 'the rate up',
    part: (divisor) => donation(token, to, amount / divisor),
    async run({ anvil, send }) {
      await give(anvil, whale, token, amount)
      await send(
        isNative(token)
          ? { from: whale, to, data: '0x', value: amount }
          : { from: whale, ...call(token, 'transfer', [to, amount]) },
      )
    },
  }
}

/** A contract loses a part of what it holds of a token. */
export function loss(token: Address, holder: Address, percent: bigint): Move {
  return {
    is: `a loss of ${percent} %`,
    direction: 'the rate down',
    async run({ anvil }) {
      if (isNative(token)) {
        const held = BigInt(await anvil.rpc<Hex>('eth_getBalance', [holder, 'latest']))
        await anvil.rpc('anvil_setBalance', [holder, numberToHex(left(held, percent))])
        return
      }
      const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [holder] })
      const held = BigInt(await anvil.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
      await anvil.rpc('anvil_dealERC20', [holder, token, numberToHex(left(held, percent))])
    },
  }
}

function left(held: bigint, percent: bigint): bigint {
  return (held * (100n - percent)) / 100n
}

/** A call of anybody's. @param signature - as in `function accrue()`. */
export function called(args: {
  readonly is: string
  readonly direction: string
  readonly from?: Address
  readonly to: Address
  readonly signature: string
  readonly args?: readonly unknown[]
  /** What the sender gets for it, and lets the contract take. */
  readonly spends?: { readonly token: Address; readonly amount: bigint }
}): Move {
  const { from = whale, to, signature, spends } = args
  return {
    is: args.is,
    direction: args.direction,
    async run({ anvil, send }) {
      if (spends) {
        await give(anvil, from, spends.token, spends.amount)
        if (!isNative(spends.token)) {
          await send({ from, ...call(spends.token, 'approve', [to, spends.amount]) })
        }
      }
      // The type of a signature that is not known at compile time is `never`.
      const abi = parseAbi([signature] as readonly string[] as never)
      const data = encodeFunctionData({ abi, args: args.args } as never)
      const value = spends && isNative(spends.token) ? spends.amount : 0n
      await send({ from, to, data, value })
    },
  }
}

/** A word of storage changes: for rates that nobody can move within one block. */
export function stored(
  is: string,
  direction: string,
  address: Address,
  slot: Hex,
  change: (word: bigint) => bigint,
): Move {
  return {
    is,
    direction,
    async run({ anvil }) {
      const word = BigInt(await anvil.rpc<Hex>('eth_getStorageAt', [address, slot, 'latest']))
      const changed = numberToHex(change(word), { size: 32 })
      await anvil.rpc('anvil_setStorageAt', [address, slot, changed])
    },
  }
}

/** One after the other, as one move. */
export function inTurn(is: string, direction: string, moves: readonly Move[]): Move {
  return {
    is,
    direction,
    async run(scene) {
      for (const move of moves) await move.run(scene)
    },
  }
}

async function give(
  anvil: Pick<TestAnvil, 'rpc'>,
  owner: Address,
  token: Address,
  amount: bigint,
): Promise<void> {
  if (!isNative(token)) await anvil.rpc('anvil_dealERC20', [owner, token, numberToHex(amount)])
}

function call(to: Address, functionName: 'approve' | 'transfer', args: readonly [Address, bigint]) {
  return { to, data: encodeFunctionData({ abi: erc20Abi, functionName, args }) }
}

export interface FrontRun extends Execution {
  readonly gained: Readonly<Record<string, string>>
  /** Why it reverted, down to the innermost reason; empty where it did not. */
  readonly reason: string
}

/** Carries out a bundle's or a route's answer behind a move, which is taken back where it can be. */
export async function executeBehind(
  service: Pick<TestService, 'nodeUrl' | 'post'>,
  body: Answer['body'],
  move: Move,
  options: NonNullable<Parameters<typeof executeBundle>[2]> = {},
): Promise<FrontRun> {
  const sent: Hex[] = []
  const started = new Set<Address>()
  let reason = ''
  const sceneOn = (anvil: Pick<TestAnvil, 'rpc'>): Scene => ({
    service,
    blockNumber: body.blockNumber,
    anvil,
    async send({ from, to, data, value = 0n }) {
      if (!started.has(from)) {
        await anvil.rpc('anvil_impersonateAccount', [from])
        await anvil.rpc('anvil_setBalance', [from, numberToHex(10n ** 30n)])
        started.add(from)
      }
      const fees = { maxFeePerGas: numberToHex(10n ** 15n), maxPriorityFeePerGas: '0x0' }
      const gas = numberToHex(5_000_000n)
      const tx = { from, to, data, value: numberToHex(value), gas, ...fees }
      sent.push(await anvil.rpc<Hex>('eth_sendTransaction', [tx]))
    },
  })
  const execution = await executeBundle(service, body, {
    ...options,
    async prepare(anvil) {
      await options.prepare?.(anvil)
      await move.run(sceneOn(anvil))
    },
    ...(move.undo && { behind: (anvil: TestAnvil) => move.undo?.(sceneOn(anvil)) }),
    async inspect(anvil, hash) {
      await options.inspect?.(anvil, hash)
      for (const each of sent) {
        const receipt = await anvil.rpc<{ status: Hex } | null>('eth_getTransactionReceipt', [each])
        if (receipt?.status !== '0x1') throw new Error(`${move.is}: a transaction of it failed`)
      }
      const trace = await anvil.rpc<{ error?: string; output?: Hex }>('debug_traceTransaction', [
        hash,
        { tracer: 'callTracer', tracerConfig: { onlyTopCall: true } },
      ])
      if (trace.error) reason = innermost(trace.output ?? '0x')
    },
  })
  return { ...execution, reason }
}

function innermost(data: Hex): string {
  const words = decodeRevert(data, executorErrorsAbi)
  if (!words.startsWith('StepFailed')) return words
  const { args = [] } = decodeErrorResult({ abi: executorErrorsAbi, data })
  return innermost(args.at(-1) as Hex)
}

/** Reasons of a revert by a minimum. */
export const minimumReasons = /^(BelowMinimum|InsufficientOutput|Error\(Price slippage check\))/
