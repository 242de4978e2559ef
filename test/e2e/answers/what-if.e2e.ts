/**
 * Overrides of state and block over HTTP: each answer against the maths of the pool or an Anvil that was changed in the
 * same way, and the answers beside it against those before it.
 */
import { readFileSync } from 'node:fs'
import { encodeAbiParameters, type Hex, keccak256, numberToHex } from 'viem'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { createRpcClient } from '../../../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../../../src/sandbox/accounts.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { yearnVaultSpecs } from '../../../src/sandbox/venues/yearn-v2.js'
import { executeOnFork } from '../../support/execute.js'
import { type SharedService, sharedService } from '../../support/service/shared-service.js'

const { address: alice } = sandboxAccount('alice')
const [weth, usdc, dai, uni] = ['WETH', 'USDC', 'DAI', 'UNI'].map(
  (symbol) => sandboxToken(symbol).address,
) as [Address, Address, Address, Address]
/** Uniswap V2's pair of USDC (token0) and WETH (token1); both reserves are in slot 8. */
const pair: Address = '0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc'
const reservesSlot: Hex = numberToHex(8n, { size: 32 })
const nobody: Address = '0x00000000000000000000000000000000000a11ce'
const ether = 10n ** 18n
const word = (value: bigint): Hex => numberToHex(value, { size: 32 })
const field = 2n ** 112n

/** Slot of `mapping(address => …)` at `base`. */
function slotOf(owner: Address, base: bigint | Hex): Hex {
  const types = [{ type: 'address' }, { type: 'bytes32' }] as const
  const place = typeof base === 'bigint' ? word(base) : base
  return keccak256(encodeAbiParameters(types, [owner, place]))
}

let service: SharedService
let blockNumber: number
let otherVenues: string[]

async function atBlock<T>(method: string, params: readonly unknown[]): Promise<T> {
  const node = createRpcClient(service.nodeUrl)
  try {
    return await node.request<T>(method, [...params, numberToHex(blockNumber)])
  } finally {
    await node.close()
  }
}

async function timestamp(): Promise<bigint> {
  const node = createRpcClient(service.nodeUrl)
  try {
    const block = await node.request<{ timestamp: Hex }>('eth_getBlockByNumber', [
      numberToHex(blockNumber),
      false,
    ])
    return BigInt(block.timestamp)
  } finally {
    await node.close()
  }
}

async function reserves(): Promise<{ usdc: bigint; weth: bigint; time: bigint }> {
  const packed = BigInt(await atBlock<Hex>('eth_getStorageAt', [pair, reservesSlot]))
  return { usdc: packed % field, weth: (packed / field) % field, time: packed >> 224n }
}
const packed = (at: { usdc: bigint; weth: bigint; time: bigint }): Hex =>
  word((at.time << 224n) | (at.weth << 112n) | at.usdc)

/** Blocks, and changed states of blocks, that have forks. */
async function forkBlocks(): Promise<string | undefined> {
  const { text } = await service.get('/metrics')
  return text.split('\n').find((line) => line.startsWith('forkroute_fork_blocks '))
}

const post = (kind: 'route' | 'quote', body: object) =>
  service.post(`/api/v1/shortcuts/${kind}`, { blockNumber, ...body })

/** Of the pair alone: too small to be worth more than one swap. */
const small = () => ({
  tokenIn: weth,
  tokenOut: usdc,
  amountIn: (ether / 100n).toString(),
  ignoreAggregators: otherVenues,
})

beforeAll(async () => {
  service = await sharedService()
  blockNumber = (await service.get('/api/v1/networks')).body[0].blockNumber
  const { body } = await service.get('/api/v1/aggregators')
  otherVenues = (body as string[]).filter((slug) => slug !== 'uniswap-v2')
})

describe('stateOverrides', () => {
  test('reserves of a pool: the amount is that of its formula, to the wei, and an Anvil changed so pays it', async () => {
    const at = await reserves()
    const amountIn = ether / 100n
    const amounts = new Set<string>()
    for (const percent of [97n, 95n, 90n]) {
      const changed = { ...at, weth: (at.weth * percent) / 100n }
      // Less WETH than the pair counts with would be an incomplete payment.
      const held = { [slotOf(pair, 3n)]: word(changed.weth) }
      const stateOverrides = {
        [pair]: { stateDiff: { [reservesSlot]: packed(changed) } },
        [weth]: { stateDiff: held },
      }
      const { status, body } = await post('quote', { ...small(), stateOverrides })
      expect([status, body.message]).toEqual([200, undefined])
      const paid = amountIn * 997n
      const expected = (paid * changed.usdc) / (changed.weth * 1_000n + paid)
      expect(body.route).toHaveLength(1)
      expect(body.amountOut).toBe(expected.toString())
      expect(body.overrides).toEqual({ accounts: [pair, weth].sort(), code: [] })
      amounts.add(body.amountOut)

      const route = await post('route', {
        ...small(),
        fromAddress: alice,
        executionMode: 'backend',
        stateOverrides,
      })
      expect(route.body.amountOut).toBe(expected.toString())
      const executed = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber,
        tx: route.body.tx,
        watch: [{ token: usdc, owner: alice }],
        fund: [{ token: weth, amount: amountIn }],
        approve: route.body.tx.to,
        async prepare(anvil) {
          await anvil.rpc('anvil_setStorageAt', [pair, reservesSlot, packed(changed)])
          await anvil.rpc('anvil_setStorageAt', [weth, slotOf(pair, 3n), word(changed.weth)])
        },
      })
      expect(executed).toMatchObject({ status: 'success', deltas: [expected] })
    }
    expect(amounts.size).toBe(3)
  })

  test('the search sees them: a pool that was drained is not chosen, one that pays more is', async () => {
    const at = await reserves()
    const request = { tokenIn: weth, tokenOut: usdc, amountIn: ether.toString() }
    const legs = async (stateOverrides?: object) => {
      const { body } = await post('quote', {
        ...request,
        ...(stateOverrides && { stateOverrides }),
      })
      return { amountOut: BigInt(body.amountOut), text: JSON.stringify(body.route) }
    }
    const plain = await legs()
    const drained = await legs({
      [pair]: { stateDiff: { [reservesSlot]: packed({ ...at, usdc: 1n, weth: 1n }) } },
    })
    expect(drained.text).not.toContain(pair)
    const generous = await legs({
      [pair]: { stateDiff: { [reservesSlot]: packed({ ...at, weth: at.weth / 2n }) } },
      [weth]: { stateDiff: { [slotOf(pair, 3n)]: word(at.weth / 2n) } },
    })
    expect(generous.text).toContain(pair)
    expect(generous.amountOut).toBeGreaterThan((plain.amountOut * 3n) / 2n)
  })

  test('funds: a sender who has nothing sends the native token, and a token that was allowed', async () => {
    const native = {
      fromAddress: nobody,
      tokenIn: nativeToken,
      tokenOut: usdc,
      amountIn: `${ether}`,
    }
    const poor = await post('route', native)
    expect([poor.status, poor.body.code]).toEqual([400, 'INSUFFICIENT_BALANCE'])
    const rich = await post('route', {
      ...native,
      stateOverrides: { [nobody]: { balance: numberToHex(ether) } },
    })
    expect([rich.status, rich.body.message]).toEqual([200, undefined])
    const most = await post('route', {
      ...native,
      stateOverrides: { [nobody]: { balance: `0x${'f'.repeat(64)}` } },
    })
    expect([most.body.amountOut, most.body.gas]).toEqual([rich.body.amountOut, rich.body.gas])

    const token = { fromAddress: nobody, tokenIn: weth, tokenOut: usdc, amountIn: `${ether}` }
    const balance = { [slotOf(nobody, 3n)]: '0x0de0b6b3a7640000' }
    const unallowed = await post('route', {
      ...token,
      stateOverrides: { [weth]: { stateDiff: balance } },
    })
    expect([unallowed.status, unallowed.body.code]).toEqual([400, 'INSUFFICIENT_ALLOWANCE'])
    const { spender } = unallowed.body.details
    const allowance = { [slotOf(spender, slotOf(nobody, 4n))]: `0x${'f'.repeat(64)}` }
    const allowed = await post('route', {
      ...token,
      stateOverrides: { [weth]: { stateDiff: { ...balance, ...allowance } } },
    })
    expect([allowed.status, allowed.body.message]).toEqual([200, undefined])
  })

  test('code: what a token has become is what runs, and the answer says so', async () => {
    const plain = await post('quote', small())
    expect([plain.status, plain.body.overrides]).toEqual([200, undefined])
    expect(JSON.stringify(plain.body.route)).toContain(pair)
    // Its reserves are those of the chain, but every call of it reverts.
    const broken = await post('quote', {
      ...small(),
      stateOverrides: { [pair]: { code: '0x5f5ffd' } },
    })
    expect(JSON.stringify(broken.body.route ?? [])).not.toContain(pair)
    const elsewhere = await post('quote', {
      ...small(),
      stateOverrides: { [nobody]: { code: '0x00' } },
    })
    expect(elsewhere.body.overrides).toEqual({ accounts: [nobody], code: [nobody] })
    const { overrides: _, ...rest } = elsewhere.body
    expect(rest).toEqual(plain.body)
  })

  test('state: slots that are not named are zero', async () => {
    const emptied = { [pair]: { state: {} } }
    const { status, body } = await post('quote', { ...small(), stateOverrides: emptied })
    expect(status === 422 || !JSON.stringify(body.route).includes(pair)).toBe(true)
  })

  test('a bundle sees them, too', async () => {
    const at = await reserves()
    const changed = { ...at, weth: (at.weth * 90n) / 100n }
    const args = { tokenIn: weth, tokenOut: usdc, amountIn: (ether / 100n).toString() }
    const path =
      `/api/v1/shortcuts/bundle?fromAddress=${alice}&blockNumber=${blockNumber}&${otherVenues
        .map((slug) => `ignoreAggregators=${slug}`)
        .join('&')}` as const
    const actions = [{ protocol: 'svc', action: 'route', args }]
    const plain = await service.post(path, actions)
    const same = await service.post(path, { actions })
    expect(same.text).toBe(plain.text)
    const stateOverrides = {
      [pair]: { stateDiff: { [reservesSlot]: packed(changed) } },
      [weth]: { stateDiff: { [slotOf(pair, 3n)]: word(changed.weth) } },
    }
    const { body } = await service.post(path, { actions, stateOverrides })
    const paid = (ether / 100n) * 997n
    const expected = (paid * changed.usdc) / (changed.weth * 1_000n + paid)
    expect(body.amountsOut).toEqual({ [usdc]: expected.toString() })
    expect(body.overrides.accounts).toEqual([pair, weth].sort())
  })

  test('requests beside it have the bytes that they had before, whatever the order', async () => {
    const at = await reserves()
    const request = { tokenIn: weth, tokenOut: dai, amountIn: (3n * ether).toString() }
    const plain = () =>
      service.get('/api/v1/shortcuts/quote', { ...request, blockNumber: `${blockNumber}` })
    const changed = (percent: bigint) =>
      post('quote', {
        ...request,
        stateOverrides: {
          [pair]: {
            stateDiff: { [reservesSlot]: packed({ ...at, usdc: (at.usdc * percent) / 100n }) },
          },
          [uni]: { code: '0x5f5ffd' },
        },
        blockOverrides: { baseFee: percent.toString() },
      })
    const before = await plain()
    const running = await forkBlocks()
    const alone = [await changed(40n), await changed(60n)]
    const all = await Promise.all([
      ...[plain(), changed(40n), plain(), changed(60n), plain()],
      ...[changed(60n), changed(40n), plain(), changed(40n), plain()],
    ])
    const texts = all.map(({ text }) => text)
    const [p, a, b] = [before.text, alone[0]?.text, alone[1]?.text]
    expect(texts).toEqual([p, a, p, b, p, b, a, p, a, p])
    expect(new Set([p, a, b]).size).toBe(3)
    expect((await plain()).text).toBe(p)
    // No fork of a changed state is left.
    expect(await forkBlocks()).toBe(running)
  })
})

describe('blockOverrides', () => {
  test('timestamp: interest is that of an Anvil whose next block has this time', async () => {
    const [{ vault } = { vault: nobody }] = yearnVaultSpecs
    const request = {
      fromAddress: alice,
      tokenIn: vault,
      tokenOut: dai,
      amountIn: (1_000n * ether).toString(),
      executionMode: 'backend',
    }
    const now = await timestamp()
    const amounts = new Set<string>()
    for (const seconds of [12n, 1_800n, 86_400n]) {
      const blockOverrides = { timestamp: (now + seconds).toString() }
      const { status, body } = await post('route', { ...request, blockOverrides })
      expect([status, body.message]).toEqual([200, undefined])
      expect(body.overrides).toEqual({ accounts: [], code: [], timestamp: Number(now + seconds) })
      const executed = await executeOnFork({
        nodeUrl: service.nodeUrl,
        blockNumber,
        blockTimeSeconds: Number(seconds),
        tx: body.tx,
        watch: [{ token: dai, owner: alice }],
        approve: body.tx.to,
        fund: [{ token: vault, amount: 1_000n * ether }],
      })
      expect(executed).toMatchObject({ status: 'success', deltas: [BigInt(body.amountOut)] })
      amounts.add(body.amountOut)
    }
    expect(amounts.size).toBe(3)
  })

  test('timestamp: a deadline before it has passed', async () => {
    const deadline = (await timestamp()) + 600n
    const request = {
      ...small(),
      fromAddress: alice,
      executionMode: 'backend',
      deadline: `${deadline}`,
    }
    const inTime = await post('route', { ...request, blockOverrides: { timestamp: `${deadline}` } })
    expect(inTime.status).toBe(200)
    const late = await post('route', {
      ...request,
      blockOverrides: { time: numberToHex(deadline + 1n) },
    })
    expect([late.status, late.body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(late.body.message).toContain(`which is due at ${deadline + 1n}`)
  })

  test('timestamp: one that is not after the block is refused', async () => {
    const now = await timestamp()
    const { status, body } = await post('quote', {
      ...small(),
      blockOverrides: { timestamp: `${now}` },
    })
    expect([status, body.message]).toEqual([
      400,
      `blockOverrides.timestamp must be after block ${blockNumber}, which has ${now} (not ${now})`,
    ])
  })

  test('baseFee: the cost of gas is at it, and a high one makes gas count in the choice', async () => {
    const cost = async (blockOverrides?: object) => {
      const { body } = await post('route', {
        ...small(),
        fromAddress: alice,
        executionMode: 'backend',
        includeTransactionCost: true,
        ...(blockOverrides && { blockOverrides }),
      })
      return {
        native: BigInt(body.gasCost.native),
        gas: BigInt(body.gas),
        amountOut: body.amountOut,
      }
    }
    const plain = await cost()
    const free = await cost({ baseFee: 0 })
    const tip = free.native / free.gas
    const dear = await cost({ baseFeePerGas: numberToHex(10n ** 12n) })
    expect(dear.native).toBe(dear.gas * (10n ** 12n + tip))
    expect([dear.gas, dear.amountOut]).toEqual([plain.gas, plain.amountOut])
    expect(free.gas).toBe(plain.gas)
  })
})

test('the example of the page is answered as it says', async () => {
  const page = readFileSync(new URL('../../../docs/how-to/what-if.md', import.meta.url), 'utf8')
  const [request, answer] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(
    ([, json = '']) => JSON.parse(json) as object,
  )
  const { status, body } = await post('quote', request ?? {})
  expect(status).toBe(200)
  expect(body).toMatchObject(answer ?? {})
})
