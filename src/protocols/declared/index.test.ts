import { decodeFunctionData, erc20Abi, parseAbi } from 'viem'
import { describe, expect, test } from 'vitest'
import { storageReader } from '../../../test/support/storage-reader.js'
import { ethereum } from '../../chains/ethereum.js'
import { parseVenues } from '../../config/venues.js'
import { type Address, maxUint256, nativeToken } from '../../domain/primitives.js'
import type { ReadCall, ReadResult, StateReader } from '../../domain/state.js'
import { toWord } from '../shared/storage-slots.js'
import { declaredVenues } from './index.js'
import { declaredSlug, withDeclaredVenues } from './venue.js'

const token = (digit: string): Address => `0x${digit.repeat(40)}`
const [a, b, c] = [token('1'), token('2'), token('3')]
const [desk, receiver, executor] = [token('4'), token('5'), token('6')]
const quoteFunction = 'function quote(uint256 i, uint256 j, uint256 amount) view returns (int256)'

/** A venue of three tokens; the fields of its swap as they are given. */
function chainWith(swap: string, trust = 'none', quote = quoteFunction) {
  const { venues, problems } = parseVenues(`
venues:
  - name: desk
    gas: 70000
    trust: ${trust}
    quote: { function: '${quote}', args: [indexIn, indexOut, amountIn], negated: true, gasLimit: 50000 }
    swap: ${swap}
    pools: [{ address: '${desk}', tokens: ['${a}', '${b}', '${c}'], constants: { tip: 7 } }]
`)
  expect(problems).toEqual([])
  const chain = withDeclaredVenues(ethereum, venues)
  return { chain, venue: chain.venues[declaredSlug] ?? {} }
}

const approving = `{ function: 'function swap(address from, uint256 amount, uint24 tip, address to)', args: [tokenIn, amountIn, tip, recipient], pay: approve }`
const byCallback = `{ function: 'function swap(address to, int256 amount, uint160 limit)', args: [recipient, amountIn, { if: zeroForOne, then: 1, else: 2 }], pay: callback }`
const prepaid = `{ function: 'function swap(bool zeroForOne)', args: [zeroForOne], pay: transfer, to: pool }`

/** Every token says that the desk has 2000 of it; a quote is answered as `answer` says, null: it reverts. */
function readerOf(
  answer: (amount: bigint) => bigint | null | 'unreadable',
): StateReader & { readonly calls: readonly ReadCall[] } {
  const calls: ReadCall[] = []
  const abi = parseAbi([quoteFunction])
  return {
    ...storageReader({}),
    calls,
    call: async (asked) =>
      asked.map((call): ReadResult => {
        calls.push(call)
        if (call.to !== desk) {
          expect(decodeFunctionData({ abi: erc20Abi, data: call.data }).args).toEqual([desk])
          return { ok: true, value: toWord(2_000n) }
        }
        const [, , amount] = decodeFunctionData({ abi, data: call.data }).args
        const found = answer(amount)
        if (found === 'unreadable') return { ok: false, reason: 'unreadable', message: 'pruned' }
        if (found === null) return { ok: false, reason: 'reverted', message: 'closed' }
        return { ok: true, value: toWord(-found) }
      }),
  }
}

async function loaded(
  reader: StateReader,
  swap = approving,
  trust = 'none',
  quote = quoteFunction,
) {
  const { chain, venue } = chainWith(swap, trust, quote)
  const { pools } = await declaredVenues.swaps.discover({ reader, chain, venue, pairs: [[a, b]] })
  const [item] = await declaredVenues.swaps.load({ reader, chain, venue, pools })
  if (!item || !('state' in item)) return { chain, venue, problem: item?.message ?? 'no pool' }
  return { chain, venue, ...item, problem: null }
}

async function stateOf(...args: Parameters<typeof loaded>) {
  const item = await loaded(...args)
  if (item.problem !== null) throw new Error(item.problem)
  return item
}

describe('a declared pool', () => {
  test('is found for a pair of its tokens, and for no other', async () => {
    const { chain, venue } = chainWith(approving)
    const reader = storageReader({})
    const discover = async (pairs: readonly (readonly [Address, Address])[]) =>
      (await declaredVenues.swaps.discover({ reader, chain, venue, pairs })).pools.length
    expect([await discover([[c, a]]), await discover([[a, nativeToken]])]).toEqual([1, 0])
    expect(withDeclaredVenues(ethereum, [])).toBe(ethereum)
  })

  test('is quoted in both directions of each pair, within its limit of gas', async () => {
    const reader = readerOf((amount) => amount / 2n)
    const { pool, state } = await stateOf(reader)
    const quotes = reader.calls.filter(({ to }) => to === desk)
    expect(new Set(quotes.map(({ gas }) => gas))).toEqual(new Set([50_000n]))
    // Sizes of 3000 and its thirds, in six directions.
    expect(quotes).toHaveLength(6 * 8)
    const swap = declaredVenues.swaps.swap(pool, state, { tokenIn: a, tokenOut: c }, 1_000n)
    expect(swap).toMatchObject({ amountOut: 500n, exact: false })
    const next = declaredVenues.swaps.swap(pool, swap.after(), { tokenIn: a, tokenOut: c }, 4_000n)
    expect(next.amountOut).toBe(1_000n)
  })

  test('is not quoted with more than its function can be told', async () => {
    const narrow = 'function quote(uint256 i, uint256 j, uint8 amount) view returns (int256)'
    const abi = parseAbi([narrow])
    const asked: bigint[] = []
    const reader: StateReader = {
      ...storageReader({}),
      call: async (calls) =>
        calls.map((call): ReadResult => {
          // A token may say that anybody has all that there can be.
          if (call.to !== desk) return { ok: true, value: toWord(maxUint256) }
          const [, , amount] = decodeFunctionData({ abi, data: call.data }).args
          asked.push(BigInt(amount))
          return { ok: true, value: toWord(-BigInt(amount)) }
        }),
    }
    const { pool, state } = await stateOf(reader, approving, 'none', narrow)
    expect(asked.every((amount) => amount <= 255n)).toBe(true)
    expect(asked.some((amount) => amount > 127n)).toBe(true)
    const direction = { tokenIn: a, tokenOut: b }
    expect(declaredVenues.swaps.swap(pool, state, direction, 100n).amountOut).toBe(100n)
    // Of more than was quoted no more comes out.
    const most = declaredVenues.swaps.swap(pool, state, direction, 10n ** 30n).amountOut
    expect(most).toBeLessThanOrEqual(255n)
  })

  test('takes nearly as much as its quotes allow', async () => {
    const { pool, state } = await stateOf(readerOf((amount) => (amount > 700n ? null : amount)))
    const direction = { tokenIn: a, tokenOut: b }
    const most = declaredVenues.swaps.swap(pool, state, direction, 10n ** 9n).amountOut
    expect(most).toBeLessThanOrEqual(700n)
    expect(most).toBeGreaterThan(680n)
  })

  test('swaps nothing where its quotes revert, and cannot be read where the node lacks its state', async () => {
    const { pool, state } = await stateOf(readerOf(() => null))
    const direction = { tokenIn: a, tokenOut: b }
    expect(declaredVenues.swaps.swap(pool, state, direction, 5n).amountOut).toBe(0n)
    expect(await loaded(readerOf(() => 'unreadable'))).toMatchObject({ problem: 'pruned' })
  })

  test('is foreign code unless the operator says otherwise, and never a source of prices', async () => {
    const reader = readerOf((amount) => amount)
    const { trust } = declaredVenues
    for (const [stated, foreign] of [
      ['none', desk],
      ['operator', null],
    ] as const) {
      const { pool, state, venue } = await stateOf(reader, approving, stated)
      expect(trust?.foreignCode?.(pool, state, venue)).toBe(foreign)
      expect(trust?.isNoPriceSource?.(pool)).toBe(true)
    }
  })

  test.each([
    [
      approving,
      true,
      [
        { kind: 'approve', token: b, spender: desk, amount: 9n },
        { kind: 'call', target: desk, args: [b, 9n, 7n, receiver] },
      ],
    ],
    [
      prepaid,
      false,
      [
        { kind: 'transfer', token: b, to: desk, amount: 9n },
        { kind: 'call', target: desk, args: [false] },
      ],
    ],
    [byCallback, true, [{ kind: 'call', target: desk, args: [receiver, 9n, 2n], payToken: b }]],
  ])('swaps by the call of the file: %s', async (swap, paysRecipient, steps) => {
    const { chain, venue, pool, state } = await stateOf(
      readerOf((amount) => amount),
      swap,
    )
    expect(declaredVenues.swaps.canPay?.(pool, state, a)).toBe(paysRecipient)
    const args = { chain, venue, pool, state, executor, helpers: {}, recipient: receiver }
    const made = declaredVenues.swaps.encodeSwap({ ...args, tokenIn: b, tokenOut: a, amountIn: 9n })
    expect(made).toMatchObject(steps)
  })

  describe('whose directions differ', () => {
    const limited = `
venues:
  - name: desk
    gas: 70000
    quote: { function: 'function sellFor(uint256 amount) view returns (uint256)', args: [amountIn], limits: [{ function: 'function room() view returns (uint256)', args: [], of: tokenIn }] }
    swap: { function: 'function sell(uint256 amount)', args: [amountIn], pay: approve }
    reverse:
      quote: { function: 'function buyFor(address for, uint256 amount) view returns (uint256, uint256)', args: [tokenOut, amountIn], output: [1], limits: [{ function: 'function stock() view returns (uint256)', args: [], of: tokenOut }, { function: 'function isOpen() view returns (bool)', args: [] }] }
      swap: { function: 'function buy(uint256 wanted, address to)', args: [quotedOut, recipient], pay: approve }
    pools: [{ address: '${desk}', tokens: ['${a}', '${b}'], largest: ['100000', '100000'] }]
`
    const functions = parseAbi([
      'function sellFor(uint256 amount) view returns (uint256)',
      'function buyFor(address for, uint256 amount) view returns (uint256, uint256)',
      'function room() view returns (uint256)',
      'function stock() view returns (uint256)',
      'function isOpen() view returns (bool)',
    ])

    async function limitedState(says: { room: bigint; stock: bigint; isOpen: boolean | null }) {
      const { venues, problems } = parseVenues(limited)
      expect(problems).toEqual([])
      const chain = withDeclaredVenues(ethereum, venues)
      const venue = chain.venues[declaredSlug] ?? {}
      const answer = (data: `0x${string}`): ReadResult => {
        const { functionName, args } = decodeFunctionData({ abi: functions, data })
        if (functionName === 'room') return { ok: true, value: toWord(says.room) }
        if (functionName === 'stock') return { ok: true, value: toWord(says.stock) }
        if (functionName === 'sellFor') return { ok: true, value: toWord(args[0]) }
        if (functionName === 'buyFor') {
          return { ok: true, value: `${toWord(5n)}${toWord(args[1]).slice(2)}` as `0x${string}` }
        }
        if (says.isOpen === null) return { ok: false, reason: 'unreadable', message: 'pruned' }
        return { ok: true, value: toWord(says.isOpen ? 1n : 0n) }
      }
      const reader: StateReader = {
        ...storageReader({}),
        call: async (calls) => calls.map(({ data }) => answer(data)),
      }
      const pairs = [[a, b]] as const
      const { pools } = await declaredVenues.swaps.discover({ reader, chain, venue, pairs })
      const [item] = await declaredVenues.swaps.load({ reader, chain, venue, pools })
      if (!item || !('state' in item)) throw new Error(item?.message)
      const swap = (tokenIn: Address, tokenOut: Address, amount: bigint) =>
        declaredVenues.swaps.swap(item.pool, item.state, { tokenIn, tokenOut }, amount).amountOut
      return { ...item, chain, venue, swap }
    }

    test('is quoted by the calls of each, within what limits leave', async () => {
      const { swap } = await limitedState({ room: 900n, stock: 300n, isOpen: true })
      expect([swap(a, b, 500n), swap(a, b, 5_000n)]).toEqual([500n, 900n])
      expect(swap(b, a, 200n)).toBe(200n)
      expect(swap(b, a, 5_000n)).toBeLessThanOrEqual(300n)
      expect(swap(b, a, 5_000n)).toBeGreaterThan(290n)
    })

    test('swaps nothing where a limit says so, and cannot be read where one cannot', async () => {
      const { swap } = await limitedState({ room: 0n, stock: 300n, isOpen: false })
      expect([swap(a, b, 5n), swap(b, a, 5n)]).toEqual([0n, 0n])
      const unread = limitedState({ room: 0n, stock: 300n, isOpen: null })
      await expect(unread).rejects.toThrow('pruned')
    })

    test('takes what the quote gives from a call ahead of the swap', async () => {
      const { chain, venue, pool, state } = await limitedState({
        room: 9n,
        stock: 9n,
        isOpen: true,
      })
      const args = { chain, venue, pool, state, executor, helpers: {}, recipient: receiver }
      const encode = (tokenIn: Address, tokenOut: Address) =>
        declaredVenues.swaps.encodeSwap({ ...args, tokenIn, tokenOut, amountIn: 7n, firstStep: 3 })
      expect(encode(b, a)).toMatchObject([
        { kind: 'call', target: desk, args: [a, 7n], output: { kind: 'word', index: 1 } },
        { kind: 'approve', token: b, spender: desk, amount: 7n },
        { kind: 'call', target: desk, args: [{ ref: 'output', step: 3 }, receiver] },
      ])
      expect(encode(a, b)).toMatchObject([{ kind: 'approve', token: a }, { args: [7n] }])
      // The calls of the other direction pay the caller alone.
      const pays = (token: Address) => declaredVenues.swaps.canPay?.(pool, state, token)
      expect([pays(a), pays(b)]).toEqual([true, false])
    })
  })

  test('sends native with the call, by the name that the venue has for it', async () => {
    const { venues, problems } = parseVenues(`
venues:
  - name: desk
    gas: 70000
    nativeAs: '${c}'
    quote: { function: 'function quote(address from, uint256 amount) view returns (uint256)', args: [tokenIn, amountIn] }
    swap: { function: 'function swap(address from, address to)', args: [tokenIn, recipient], pay: transfer }
    pools: [{ address: '${desk}', tokens: ['${nativeToken}', '${b}'], largest: ['1000', '1000'] }]
`)
    expect(problems).toEqual([])
    const chain = withDeclaredVenues(ethereum, venues)
    const venue = chain.venues[declaredSlug] ?? {}
    const quoted = { ok: true, value: toWord(1n) } as const
    const reader = {
      ...storageReader({}),
      call: async (asked: readonly unknown[]) => asked.map(() => quoted),
    }
    const pairs = [[ethereum.wrappedNative, b]] as const
    const { pools } = await declaredVenues.swaps.discover({ reader, chain, venue, pairs })
    const [item] = await declaredVenues.swaps.load({ reader, chain, venue, pools })
    if (!item || !('state' in item)) throw new Error('the pool was not loaded')
    const { pool, state } = item
    const args = { chain, venue, pool, state, executor, helpers: {}, recipient: receiver }
    const swap = (tokenIn: Address, tokenOut: Address) =>
      declaredVenues.swaps.encodeSwap({ ...args, tokenIn, tokenOut, amountIn: 9n })
    expect(swap(nativeToken, b)).toMatchObject([{ kind: 'call', args: [c, receiver], value: 9n }])
    expect(swap(b, nativeToken)).toMatchObject([{ kind: 'transfer', to: desk }, { kind: 'call' }])
    expect(declaredVenues.swaps.canPay?.(pool, state, nativeToken)).toBe(false)
  })
})
