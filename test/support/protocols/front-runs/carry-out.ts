/** Carries out the answer to a case, by itself and behind what somebody does ahead of it, and judges what becomes of it. */
import { encodeFunctionData, parseAbi } from 'viem'
import { expect } from 'vitest'
import type { Address, Hex } from '../../../../src/domain/primitives.js'
import type { TestAnvil } from '../../anvil.js'
import { approveInputs, askBundle, executeBundle } from '../../bundle.js'
import { executeBehind, type Move } from '../../front-run.js'
import type { TestService } from '../../service/service.js'
import type { FrontRunCase } from './cases.js'
import type { Fact } from './parts.js'
import { type Change, expectPromise, lossBps, takenOf, tokensOf } from './wealth.js'

/** Of a chain of its own. */
type Rpc = Pick<TestAnvil, 'rpc'>

export interface Ground {
  readonly service: TestService
  /** The chain of the service, at the block. */
  readonly node: Rpc
  readonly blockNumber: string
  /** Who sends the cases without a holder. */
  readonly anybody: Address
}

/** The answer to the case, whose transaction works when nobody is ahead of it. */
export async function answerTo(ground: Ground, actionCase: FrontRunCase, receiver?: Address) {
  const { service, node, blockNumber, anybody } = ground
  const { actions, routingStrategy = 'router', holder, holdings } = actionCase
  const asked = actions.map((action, index) =>
    receiver && index === actions.length - 1
      ? { ...action, args: { ...action.args, receiver } }
      : action,
  )
  const query = { fromAddress: holder ?? anybody, routingStrategy, blockNumber }
  const { status, body } = await askBundle(service, query, asked)
  expect(status, JSON.stringify(body)).toBe(200)
  expect(body.unprotected).toBeUndefined()
  const tokens = (body.route.at(-1)?.tokenOut ?? []) as Address[]
  const own = tokensOf(body)
  const named = receiver ? tokens.map((each) => ({ token: each, owner: receiver })) : []
  const options = {
    routingStrategy,
    isFunded: holder === undefined,
    watch: [...own.map((each) => ({ token: each, owner: query.fromAddress })), ...named],
    ...(holder && {
      prepare: (anvil: Rpc) => approveInputs(anvil, body.tx, body.amountsIn),
    }),
  }
  const before = await held(holdings, node)
  /** Carries it out, behind a move where there is one. */
  async function carryOut(move: Move | null, inspect?: (anvil: Rpc) => Promise<void>) {
    let after: readonly bigint[] = []
    const looking = {
      ...options,
      async inspect(anvil: Rpc) {
        after = await held(holdings, anvil)
        await inspect?.(anvil)
      },
    }
    const done = move
      ? await executeBehind(service, body, move, looking)
      : { ...(await executeBundle(service, body, looking)), reason: '' }
    const deltas = done.deltas.slice(-options.watch.length)
    const change: Change = {
      tokens: new Map(own.map((each, index) => [each, deltas[index] ?? 0n])),
      holdings: after.map((each, index) => {
        const gained = each - (before[index] ?? 0n)
        return holdings[index]?.isDebt ? -gained : gained
      }),
    }
    return { ...done, change, received: deltas.slice(own.length) }
  }
  const alone = await carryOut(null)
  expect(alone).toMatchObject({ status: 'success', gained: body.amountsOut })
  const slippage = BigInt(String(asked.at(-1)?.args.slippage ?? 50))
  return { ground, body, alone, carryOut, slippage }
}

type Answered = Awaited<ReturnType<typeof answerTo>>
type Done = Awaited<ReturnType<Answered['carryOut']>>

function held(holdings: FrontRunCase['holdings'], anvil: Rpc): Promise<bigint[]> {
  const read = (to: Address, signature: string, args: readonly unknown[], word = 0) =>
    wordOf(anvil, { to, signature, args, word })
  return Promise.all(holdings.map((each) => each.of(read)))
}

/** Whatever became of it, no more is taken than the answer says, and no more is lost than the slippage. */
async function expectWithin(
  { ground, body, alone, slippage }: Answered,
  done: Done,
): Promise<void> {
  if (done.status === 'reverted') return
  const both = { change: done.change, alone: alone.change }
  expectPromise(body, slippage, both)
  const lost = lossBps(both, await pricesOf(ground, [...alone.change.tokens.keys()]))
  if (lost !== null) expect(lost).toBeLessThanOrEqual(Number(slippage) + 0.01)
}

/** USD per raw unit, of one block. */
const prices = new Map<Address, number>()

async function pricesOf(
  { service, blockNumber }: Ground,
  tokens: readonly Address[],
): Promise<ReadonlyMap<Address, number>> {
  const missing = tokens.filter((each) => !prices.has(each))
  if (missing.length) {
    const { body } = await service.get('/api/v1/prices/1', {
      addresses: missing.join(','),
      blockNumber,
    })
    for (const [index, found] of (
      body as readonly ({ price: number; decimals: number } | null)[]
    ).entries()) {
      const of = missing[index] as Address
      if (found) prices.set(of, found.price / 10 ** found.decimals)
    }
  }
  return prices
}

export interface Happened {
  readonly transaction: string
  /** What of the inputs is taken. */
  readonly takes: string
  /** What of the inputs is taken behind the largest part of the move that it does not revert at. */
  readonly smaller: string
}

function reverted({ reason }: Done): Pick<Happened, 'transaction' | 'takes'> {
  const words = /^Error\((.*)\)$/.exec(reason)?.[1] ?? reason.replace(/\(.*/, '')
  return { transaction: `reverts: ${words}`, takes: 'nothing' }
}

/** Behind parts of a move that is too much for the transaction, the first that is not. */
async function behindPart(answered: Answered, { part }: Move): Promise<string> {
  if (!part) return ''
  for (const divisor of [30n, 900n, 27_000n]) {
    const done = await answered.carryOut(part(divisor))
    if (done.status === 'reverted') continue
    await expectWithin(answered, done)
    return takenOf({ change: done.change, alone: answered.alone.change })
  }
  throw new Error('It reverts behind the smallest part of the move, too.')
}

/** Behind the move the transaction does what the case says. */
export async function expectCase(
  actionCase: FrontRunCase,
  answered: Answered,
  receiver?: Address,
): Promise<Happened> {
  const { alone, body } = answered
  const { move, keeps, mayGain, reason, after } = actionCase
  let said: bigint | undefined
  const behind = await answered.carryOut(move, async (anvil) => {
    if (after) said = await wordOf(anvil, after)
  })
  if (keeps === undefined) {
    expect(behind.status).toBe('reverted')
    expect(behind.reason).toMatch(reason)
    return { ...reverted(behind), smaller: receiver ? '' : await behindPart(answered, move) }
  }
  expect(behind.status, behind.reason).toBe('success')
  // What goes to a receiver is no promise to the sender.
  if (!receiver) await expectWithin(answered, behind)
  if (mayGain) {
    behind.deltas.forEach((delta, index) => {
      expect(delta).toBeGreaterThanOrEqual(alone.deltas[index] ?? 0n)
    })
  } else {
    expect(behind.gained).toEqual(body.amountsOut)
    expect(behind.deltas).toEqual(alone.deltas)
  }
  // Nothing would be kept as well as everything.
  const given = receiver ? alone.received : Object.values(behind.gained).map(BigInt)
  expect(after !== undefined || given.some((amount) => amount > 0n)).toBe(true)
  if (after) {
    expect(said).toBeGreaterThanOrEqual(after.least)
    expect(said).toBeLessThanOrEqual(after.most)
  }
  return {
    transaction: mayGain ? 'gives no less' : 'keeps its amounts',
    takes: takenOf({ change: behind.change, alone: alone.change }),
    smaller: '',
  }
}

/** Behind the opposite move it keeps what it promises, whatever that move is. */
export async function expectOpposite(
  { opposite }: FrontRunCase,
  answered: Answered,
): Promise<Happened> {
  const { alone } = answered
  const behind = await answered.carryOut(opposite)
  if (behind.status === 'reverted') {
    return { ...reverted(behind), smaller: await behindPart(answered, opposite) }
  }
  await expectWithin(answered, behind)
  const both = { change: behind.change, alone: alone.change }
  const isNoWorse = [...alone.change.tokens].every(
    ([token, delta]) => (behind.change.tokens.get(token) ?? 0n) >= delta,
  )
  const isSame = Object.entries(behind.gained).every(
    ([token, amount]) => alone.gained[token] === amount,
  )
  const kept = isNoWorse ? 'gives no less' : 'gives what is promised'
  return {
    transaction: isSame ? 'keeps its amounts' : kept,
    takes: takenOf(both),
    smaller: '',
  }
}

async function wordOf(
  anvil: Rpc,
  { to, signature, args, word = 0 }: Pick<Fact, 'to' | 'signature' | 'args' | 'word'>,
): Promise<bigint> {
  // The type of a signature that is not known at compile time is `never`.
  const abi = parseAbi([signature] as readonly string[] as never)
  const data = encodeFunctionData({ abi, args } as never)
  const result = await anvil.rpc<Hex>('eth_call', [{ to, data }, 'latest'])
  return BigInt(`0x${result.slice(2 + 64 * word, 66 + 64 * word)}`)
}
