/**
 * A maker's pool whose price on the chain is an old one: the maker publishes what it will write at the top of the next block,
 * and then does. Answers with the overlay hold in that block, to the unit, and revert where the maker does not write.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Address } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'
import { runCli } from '../../support/cli.js'
import { alice } from '../../support/declared-venues.js'
import { executeOnFork } from '../../support/execute.js'
import { NodeWriter } from '../../support/nodes/node-writer.js'
import { withSandbox } from '../../support/sandbox.js'
import { type Answer, startService, type TestService } from '../../support/service/service.js'
import { compileTestContracts } from '../../support/test-contracts.js'

/** That of the example. */
const pool: Address = '0xf702e700000000000000000000000000000000a1'
const example = new URL('../../../examples/venues/prop-amm.yaml', import.meta.url).pathname
const weth = sandboxToken('WETH').address
const usdc = sandboxToken('USDC').address
const [ether, dollar] = [10n ** 18n, 10n ** 6n]
const amountIn = 2n * ether
const write = 'function write(uint256)'
const context = withSandbox()

let folder: string
let file: string
let node: NodeWriter
let service: TestService
/** Raw units of USDC that the market gives for one WETH. */
let market: bigint

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'forkroute-overlays-'))
  file = join(folder, 'overlay.json')
  node = await new NodeWriter(context().sandbox.url).start()
  const { bytecode } = compileTestContracts('PropAmm.sol')('PublishedPriceAmm')
  await node.place(pool, bytecode, 'address, address', [weth, usdc])
  for (const [token, amount] of [
    [weth, 1_000n * ether],
    [usdc, 3_000_000n * dollar],
  ] as const) {
    await node.rpc('anvil_dealERC20', [NodeWriter.owner, token, numberToHex(amount)])
    await node.send(token, 'function transfer(address, uint256)', [pool, amount])
  }
  await node.send(pool, 'function open()')
  await node.send(pool, write, [1_000n * dollar])
  service = await startService({
    RPC_URL_1: context().sandbox.url,
    DATA_DIR: folder,
    VENUES: example,
    STATE_OVERLAY_1: file,
    HEAD_POLL_MS: '250',
  })
  market = BigInt((await route({ amountIn: String(ether) })).body.amountOut)
})
afterAll(async () => {
  await service?.stop()
  await node?.close()
  await rm(folder, { recursive: true, force: true })
})
beforeEach(() => rm(file, { force: true }))

const head = async () => Number(await node.rpc<Hex>('eth_blockNumber', []))

/** The maker writes a price on the chain, and the service has seen the block. */
async function settle(price: bigint): Promise<void> {
  await node.send(pool, write, [price])
  const number = await head()
  await expect.poll(async () => (await route()).body.createdAt).toBe(number)
}

/** In basis points of what the market gives. */
const priceAt = (bps: bigint) => (market * bps) / 10_000n

/** The maker says the price of the block after the newest, or of another one. */
async function publish(price: bigint, blockNumber?: number): Promise<number> {
  const number = blockNumber ?? (await head()) + 1
  const stateDiff = { '0x0': numberToHex(price, { size: 32 }) }
  const overlay = { [pool]: { stateOverride: { [pool]: { stateDiff } } } }
  await writeFile(file, JSON.stringify({ blockNumber: numberToHex(number), ...overlay }))
  return number
}

async function route(more: Readonly<Record<string, string>> = {}): Promise<Answer> {
  const answer = await service.get('/api/v1/shortcuts/route', {
    tokenIn: weth,
    tokenOut: usdc,
    amountIn: String(amountIn),
    fromAddress: alice,
    executionMode: 'backend',
    ...more,
  })
  expect(answer.status, answer.text.slice(0, 500)).toBe(200)
  return answer
}

/** The transaction in the block after the newest, behind what the maker writes there; null: it writes nothing. */
async function carryOut(tx: Answer['body']['tx'], written: bigint | null) {
  return executeOnFork({
    nodeUrl: context().sandbox.url,
    blockNumber: await head(),
    tx,
    watch: [{ token: usdc, owner: alice }],
    fund: [{ token: weth, amount: amountIn }],
    approve: tx.to,
    async prepare(anvil) {
      const stateDiff = numberToHex(written ?? 0n, { size: 32 })
      if (written !== null) await anvil.rpc('anvil_setStorageAt', [pool, '0x0', stateDiff])
    },
  })
}

const usesPool = ({ body }: Answer) => JSON.stringify(body.route).includes(pool)

describe('an overlay of the next block', () => {
  test('prices the venue, is named, and what was promised arrives in that block to the unit', async () => {
    expect(usesPool(await route())).toBe(false)
    const price = priceAt(10_100n)
    const number = await publish(price)
    const answer = await route()
    expect(answer.body.overlay).toEqual({ blockNumber: number, venues: [pool], accounts: [pool] })
    expect(usesPool(answer)).toBe(true)
    expect(BigInt(answer.body.amountOut)).toBeGreaterThan(2n * market)
    const done = await carryOut(answer.body.tx, price)
    expect(done).toMatchObject({ status: 'success', deltas: [BigInt(answer.body.amountOut)] })
    const asked = ['quote', '2', 'WETH', 'USDC', '--url', service.url, '--key', service.key]
    expect((await runCli(asked, {})).err).toContain(
      `makers publish of block ${number}, for ${pool}`,
    )
    const missed = await carryOut(answer.body.tx, null)
    expect(missed).toMatchObject({ status: 'reverted', deltas: [0n] })
  })

  test('says that an old price is not there any more, which the chain alone would promise', async () => {
    await settle(priceAt(11_000n))
    try {
      const plain = await route()
      expect(usesPool(plain)).toBe(true)
      expect(plain.body).not.toHaveProperty('overlay')
      const price = priceAt(9_000n)
      await publish(price)
      expect((await carryOut(plain.body.tx, price)).status).toBe('reverted')
      const answer = await route()
      expect(usesPool(answer)).toBe(false)
      expect(answer.body.overlay.venues).toEqual([pool])
      const done = await carryOut(answer.body.tx, price)
      expect(done).toMatchObject({ status: 'success', deltas: [BigInt(answer.body.amountOut)] })
    } finally {
      await settle(1_000n * dollar)
    }
  })

  test('leaves a way without it among the alternatives, which arrives where the maker writes nothing', async () => {
    await publish(priceAt(10_100n))
    const answer = await route({ alternatives: '2' })
    const plain = answer.body.alternatives.filter(
      (one: { withoutOverlay?: true }) => one.withoutOverlay,
    )
    expect(answer.body.alternatives).toHaveLength(2)
    expect(plain).toHaveLength(1)
    const [{ tx, amountOut, lossBps }] = plain
    expect(lossBps).toBeGreaterThan(0)
    expect(await carryOut(tx, null)).toMatchObject({
      status: 'success',
      deltas: [BigInt(amountOut)],
    })
    const single = await route({ alternatives: '1' })
    expect(single.body.alternatives).toMatchObject([{ withoutOverlay: true }])
  })

  test('is nothing to a request that names its block, to one that asks what if, and at any other block', async () => {
    const number = await publish(priceAt(10_100n))
    const named = await route({ blockNumber: String(number - 1) })
    expect(usesPool(named)).toBe(false)
    expect(named.body).not.toHaveProperty('overlay')
    const whatIf = await service.post('/api/v1/shortcuts/quote', {
      tokenIn: weth,
      tokenOut: usdc,
      amountIn: String(amountIn),
      stateOverrides: { [alice]: { balance: '1' } },
    })
    expect(whatIf.status, whatIf.text).toBe(200)
    expect(usesPool(whatIf)).toBe(false)
    expect(whatIf.body).not.toHaveProperty('overlay')
    for (const other of [number - 1, number + 1]) {
      await publish(priceAt(10_100n), other)
      const answer = await route()
      expect(usesPool(answer)).toBe(false)
      expect(answer.body).not.toHaveProperty('overlay')
    }
  })

  test('counts in a quote and in a bundle', async () => {
    const number = await publish(priceAt(10_100n))
    const trade = { tokenIn: weth, tokenOut: usdc, amountIn: String(amountIn) }
    const quote = await service.get('/api/v1/shortcuts/quote', trade)
    expect(quote.body.overlay, quote.text).toMatchObject({ blockNumber: number })
    expect(usesPool(quote)).toBe(true)
    const bundle = await service.post(
      `/api/v1/shortcuts/bundle?chainId=1&fromAddress=${alice}&executionMode=backend`,
      [{ protocol: 'svc', action: 'route', args: trade }],
    )
    expect(bundle.body.overlay, bundle.text).toMatchObject({ blockNumber: number })
    expect(bundle.text).toContain(`"pool":"${pool}"`)
  })

  test('is part of a cassette, whose replay has no file', async () => {
    await publish(priceAt(10_100n))
    const requests = join(folder, 'requests.json')
    const cassette = join(folder, 'overlay.cassette')
    const query = { tokenIn: weth, tokenOut: usdc, amountIn: String(amountIn), alternatives: 1 }
    await writeFile(requests, JSON.stringify({ requests: [{ path: '/shortcuts/quote', query }] }))
    const env = {
      RPC_URL_1: context().sandbox.url,
      DATA_DIR: join(folder, 'recording'),
      VENUES: example,
      STATE_OVERLAY_1: file,
    }
    const recorded = await runCli(['record', cassette, '--requests', requests], env)
    expect(recorded.code, recorded.err).toBe(0)
    await rm(file)
    const verified = await runCli(['verify', cassette], { DATA_DIR: join(folder, 'empty') })
    expect(verified.out, verified.err).toContain('1 the same')
  })

  test('does nothing where it cannot be read, or would replace code', async () => {
    await writeFile(file, '{"blockNumber": 1')
    expect((await route()).body).not.toHaveProperty('overlay')
    const code = { [usdc]: { code: '0x00' } }
    const document = { blockNumber: (await head()) + 1, [pool]: { stateOverride: code } }
    await writeFile(file, JSON.stringify(document))
    expect((await route()).body).not.toHaveProperty('overlay')
  })
})
