/** Orders of 1inch's protocol as liquidity: by the code of its package, executed on a chain of its own. */
import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  parseAbi,
  parseAbiParameters,
  parseSignature,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Address, permit2Address } from '../../../src/domain/primitives.js'
import type { BookOrder } from '../../../src/domain/signed-order.js'
import { oneInchSettlement } from '../../../src/protocols/signed-orders/one-inch/order.js'
import { runCli } from '../../support/cli.js'
import { alice } from '../../support/declared-venues.js'
import { executeOnFork } from '../../support/execute.js'
import {
  type BookTerms,
  bookData,
  compileOneInch,
  signedByKey,
} from '../../support/orders/one-inch.js'
import {
  ether,
  type OrderMarket,
  openOrderMarket,
  usdc,
  weth,
} from '../../support/orders/order-market.js'
import { withSandbox } from '../../support/sandbox.js'

const approve = 'function approve(address, uint256)'
const tuple = '(uint256,uint256,uint256,uint256,uint256,uint256,uint256,uint256)'
const context = withSandbox()

/** As the contract takes it. */
function tupleOf(data: BookOrder['data']): bigint[] {
  const { maker, receiver, makerAsset, takerAsset } = data
  return [
    data.salt,
    maker,
    receiver,
    makerAsset,
    takerAsset,
    data.makingAmount,
    data.takingAmount,
    data.makerTraits,
  ].map(BigInt)
}

describe('orders of 1inch', () => {
  let market: OrderMarket
  let contracts: Awaited<ReturnType<typeof compileOneInch>>
  let teller: Address
  let liar: Address
  let condition: Address
  let codeMaker: Address
  let nonce = 300n

  beforeAll(async () => {
    contracts = await compileOneInch()
    market = await openOrderMarket(context(), async (node, makerAddress) => {
      const { bytecode } = contracts('RouterOrders')
      await node.place(oneInchSettlement, bytecode, 'address', [weth])
      await node.send(usdc, approve, [oneInchSettlement, 2n ** 255n], makerAddress)
      const tellerCode = contracts('RateTeller').bytecode
      teller = await node.deploy(tellerCode, 'uint256, uint256', [300n, 0n])
      liar = await node.deploy(tellerCode, 'uint256, uint256', [0n, 900n])
      condition = await node.deploy(contracts('Switch').bytecode)
      codeMaker = await node.deploy(contracts('CodeMaker').bytecode)
      await node.send(
        usdc,
        'function transfer(address, uint256)',
        [codeMaker, 8_000_000_000n],
        alice,
      )
    })
  })
  afterAll(() => market?.stop())

  /** Gives so much better a price than the market, for so much WETH. */
  async function order(amountIn: bigint, bps: bigint, more: Partial<BookTerms> = {}) {
    nonce += 1n
    const data = bookData({
      maker: market.makerAddress,
      makerAsset: usdc,
      takerAsset: weth,
      makingAmount: market.better(amountIn, bps),
      takingAmount: amountIn,
      nonce,
      expiry: BigInt(market.expiry),
      ...more,
    })
    return signedByKey(market.maker, data)
  }
  const many = ['multipleFills'] as const

  test('an order has the hash that its contract gives it', async () => {
    const one = await order(ether, 200n)
    // What a book adds is left out.
    const [hash] = await market.imported({ ...one, orderHash: '0x12', createDateTime: 'today' })
    const signature = `function hashOrder(${tuple} order) view returns (bytes32)`
    const args = [tupleOf(one.data)]
    expect(await market.node.read(oneInchSettlement, signature, args)).toBe(hash)
    await market.forget([hash ?? ''])
  })

  test.each([
    ['one fill alone', []],
    ['several fills', many],
  ] as const)(
    'an order of %s is the way where it pays best, whole and in a split, to the unit',
    async (_, flags) => {
      const [hash = ''] = await market.imported(await order(ether, 200n, { flags }))
      const whole = await market.route(ether)
      expect(whole.status, whole.text).toBe(200)
      expect(whole.text).toContain(hash)
      expect(BigInt(whole.body.amountOut)).toBe(market.better(ether, 200n))
      expect(await market.delivered(whole, ether)).toBe(BigInt(whole.body.amountOut))
      expect(whole.body.cautions).toMatchObject([{ pool: hash, kind: 'order' }])
      const part = await market.route(ether / 3n)
      expect(part.text).toContain(hash)
      expect(await market.delivered(part, ether / 3n)).toBe(BigInt(part.body.amountOut))
      const split = await market.route(3n * ether)
      expect(split.text).toContain(hash)
      expect(await market.delivered(split, 3n * ether)).toBe(BigInt(split.body.amountOut))
      await market.forget([hash])
    },
  )

  test('what was filled, cancelled or left by the epoch is not offered again', async () => {
    const filled = await order(ether, 250n, { flags: many })
    const once = await order(ether, 250n)
    const epoch = await order(ether, 250n, {
      flags: ['multipleFills', 'epoch'],
      series: 3n,
      nonce: 0n,
    })
    const hashes = await market.imported(filled, once, epoch)
    const open = async () => {
      const found = await Promise.all(
        hashes.map((hash) => market.route(ether / 10n, { onlyPools: hash })),
      )
      return found.map(({ status }) => status)
    }
    expect(await open()).toEqual([200, 200, 200])

    // Two thirds are filled by somebody else.
    const { node, makerAddress } = market
    await node.send(weth, approve, [oneInchSettlement, ether], alice)
    const first = await market.route(ether)
    const { status } = await executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: first.body.createdAt,
      tx: first.body.tx,
      watch: [],
      fund: [{ token: weth, amount: ether }],
      approve: first.body.tx.to,
    })
    expect(status).toBe('success')
    await fill(filled, (2n * ether) / 3n)
    const rest = await market.route(ether, { onlyPools: hashes[0] ?? '' })
    expect(rest.status).toBe(422)
    const third = await market.route(ether / 3n, { onlyPools: hashes[0] ?? '' })
    expect(await market.delivered(third, ether / 3n)).toBe(BigInt(third.body.amountOut))

    await node.send(
      oneInchSettlement,
      'function cancelOrder(uint256, bytes32)',
      [BigInt(once.data.makerTraits), hashes[1]],
      makerAddress,
    )
    await node.send(oneInchSettlement, 'function increaseEpoch(uint96)', [3n], makerAddress)
    expect(await open()).toEqual([200, 422, 422])
    await market.forget(hashes)
  })

  /** By alice, who allows it. */
  async function fill({ data, signature }: Awaited<ReturnType<typeof order>>, amount: bigint) {
    const r = signature.slice(0, 66)
    const isOdd = signature.endsWith('1c')
    const vs = BigInt(`0x${signature.slice(66, 130)}`) | (isOdd ? 1n << 255n : 0n)
    await market.node.send(
      oneInchSettlement,
      `function fillOrder(${tuple} order, bytes32 r, bytes32 vs, uint256 amount, uint256 traits)`,
      [tupleOf(data), r, `0x${vs.toString(16).padStart(64, '0')}`, amount, 0n],
      alice,
    )
  }

  test('a contract tells the rate: it is quoted in parts, and a lie about it is no promise', async () => {
    const told = (by: Address) => ({ makingAmountData: by, takingAmountData: by })
    const [honest = ''] = await market.imported(
      await order(4n * ether, 200n, { flags: many, extension: told(teller) }),
    )
    const answer = await market.route(ether)
    expect(answer.text).toContain(honest)
    expect(await market.delivered(answer, ether)).toBe(BigInt(answer.body.amountOut))
    // Of a quarter a quarter of the slope is taken.
    const alone = await market.route(ether, { onlyPools: honest })
    const expected = (market.better(4n * ether, 200n) * (10_000n - 75n)) / 4n / 10_000n
    expect(Number(BigInt(alone.body.amountOut) - expected)).toBeLessThanOrEqual(1)
    await market.forget([honest])

    const [lying = ''] = await market.imported(
      await order(4n * ether, 500n, { flags: many, extension: told(liar) }),
    )
    const other = await market.route(ether)
    expect(other.text).not.toContain(lying)
    expect(await market.delivered(other, ether)).toBe(BigInt(other.body.amountOut))
    const poor = await market.route(ether, { onlyPools: lying })
    expect(await market.delivered(poor, ether)).toBe(BigInt(poor.body.amountOut))
    expect(BigInt(poor.body.amountOut)).toBeLessThan(market.better(ether, 0n))
    await market.forget([lying])
  })

  test('an order whose condition does not hold is left out, and one whose condition ends undoes the transaction', async () => {
    const isOn = encodeFunctionData({ abi: parseAbi(['function on() view returns (uint256)']) })
    const predicate = encodeFunctionData({
      abi: parseAbi([
        'function arbitraryStaticCall(address target, bytes data) view returns (uint256)',
      ]),
      args: [condition, isOn],
    })
    const hashes = await market.imported(await order(ether, 200n, { extension: { predicate } }))
    const answer = await market.route(ether)
    expect(answer.text).toContain(hashes[0])
    expect(await market.delivered(answer, ether)).toBe(BigInt(answer.body.amountOut))
    const turn = encodeFunctionData({ abi: parseAbi(['function turn(uint256)']), args: [0n] })
    const done = await executedAfter(answer, condition, turn)
    expect([done.status, ...done.deltas]).toEqual(['reverted', 0n])
    await market.node.send(condition, 'function turn(uint256)', [0n])
    expect((await market.route(ether)).text).not.toContain(hashes[0])
    await market.forget(hashes)
  })

  const executedAfter = (
    answer: Awaited<ReturnType<OrderMarket['route']>>,
    to: Address,
    data: Hex,
  ) =>
    executeOnFork({
      nodeUrl: context().sandbox.url,
      blockNumber: answer.body.createdAt,
      tx: answer.body.tx,
      watch: [{ token: usdc, owner: alice }],
      fund: [{ token: weth, amount: ether }],
      approve: answer.body.tx.to,
      async prepare(anvil) {
        await anvil.rpc('anvil_impersonateAccount', [market.makerAddress])
        await anvil.rpc('eth_sendTransaction', [
          { from: market.makerAddress, to, data, gas: '0x30d40', gasPrice: '0xe8d4a51000' },
        ])
      },
    })

  test('a maker that pays by Permit2 is filled as far as its allowance there goes', async () => {
    const { node, makerAddress } = market
    const hashes = await market.imported(await order(ether, 200n, { flags: ['permit2'] }))
    const [hash = ''] = hashes
    expect((await market.route(ether, { onlyPools: hash })).status).toBe(422)
    await node.send(usdc, approve, [permit2Address, 2n ** 255n], makerAddress)
    const allow = async (amount: bigint) => {
      const until = BigInt(market.expiry)
      const signature = 'function approve(address, address, uint160, uint48)'
      const args = [usdc, oneInchSettlement, amount, until]
      await node.send(permit2Address, signature, args, makerAddress)
    }
    await allow(market.better(ether / 2n, 200n))
    expect((await market.route(ether, { onlyPools: hash })).status).toBe(422)
    const half = await market.route(ether / 2n, { onlyPools: hash })
    expect(await market.delivered(half, ether / 2n)).toBe(BigInt(half.body.amountOut))
    await allow(2n ** 159n)
    const whole = await market.route(ether)
    expect(whole.text).toContain(hash)
    expect(await market.delivered(whole, ether)).toBe(BigInt(whole.body.amountOut))
    await market.forget(hashes)
  })

  test('the permit of a maker that has allowed nothing counts, and a wrong one is no promise', async () => {
    const { node, makerAddress, maker, expiry } = market
    await node.send(usdc, approve, [oneInchSettlement, 0n], makerAddress)
    const values = {
      owner: makerAddress,
      spender: oneInchSettlement,
      value: 2n ** 255n,
      nonce: 0n,
      deadline: BigInt(expiry),
    }
    const permit = async (nonce: bigint) => {
      const signature = await maker.signTypedData({
        domain: { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: usdc },
        types: {
          Permit: [
            { name: 'owner', type: 'address' },
            { name: 'spender', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'nonce', type: 'uint256' },
            { name: 'deadline', type: 'uint256' },
          ],
        },
        primaryType: 'Permit',
        message: { ...values, nonce },
      })
      const { r, s, v = 27n } = parseSignature(signature)
      const { owner, spender, value, deadline } = values
      const types = parseAbiParameters(
        'address, address, uint256, uint256, uint8, bytes32, bytes32',
      )
      const call = encodeAbiParameters(types, [owner, spender, value, deadline, Number(v), r, s])
      return order(ether, 200n, { extension: { makerPermit: concatHex([usdc, call]) } })
    }
    const hashes = await market.imported(await permit(7n), await permit(0n))
    const answer = await market.route(ether)
    expect(hashes.map((hash) => answer.text.includes(hash))).toEqual([false, true])
    expect(await market.delivered(answer, ether)).toBe(BigInt(answer.body.amountOut))
    await market.forget(hashes)
    await node.send(usdc, approve, [oneInchSettlement, 2n ** 255n], makerAddress)
  })

  test('code that signs for a maker is foreign, and may refuse: then nothing moves', async () => {
    const terms = {
      maker: codeMaker,
      flags: ['callBefore'] as const,
      extension: { callBefore: codeMaker },
    }
    const one = { ...(await order(ether, 200n, terms)), signature: '0x99' as Hex }
    const [hash = ''] = await market.imported(one)
    expect((await market.route(ether, { onlyPools: hash })).status).toBe(422)
    const { node } = market
    const sign = 'function sign(bytes32, address, address)'
    await node.send(codeMaker, sign, [hash, usdc, oneInchSettlement])
    const answer = await market.route(ether)
    expect(answer.text).toContain(hash)
    expect(await market.delivered(answer, ether)).toBe(BigInt(answer.body.amountOut))
    const refuse = encodeFunctionData({ abi: parseAbi(['function refuse()']) })
    const done = await executedAfter(answer, codeMaker, refuse)
    expect([done.status, ...done.deltas]).toEqual(['reverted', 0n])
    await node.send(codeMaker, 'function refuse()')
    const other = await market.route(ether)
    expect(other.text).not.toContain(hash)
    await market.forget([hash])
  })

  test('an order that no route can fill is refused with the reason', async () => {
    const fine = await order(ether, 200n)
    const { data, signature } = fine
    const given = [
      fine,
      await order(ether, 200n, { allowedSender: 5n }),
      { signature, data: { ...data, extension: '0x1234' } },
      await order(ether, 200n, { extension: { makerAssetSuffix: '0x12' } }),
      await order(ether, 200n, { flags: ['epoch'] }),
    ]
    const { status, body } = await market.service.post('/api/v1/orders', { orders: given })
    expect(status).toBe(400)
    for (const problem of [
      'orders[1] may be filled by one address only',
      'orders[2] has an extension that its maker has not signed',
      'orders[3] does not swap two tokens of the standard ERC-20',
      'orders[4] has both a nonce and an epoch',
    ]) {
      expect(body.message).toContain(problem)
    }
    expect(body.message).not.toContain('orders[0]')
    const foreign = { ...fine, data: { ...data, makingAmount: String(market.better(ether, 900n)) } }
    const hashes = await market.imported(foreign)
    expect((await market.route(ether)).text).not.toContain(hashes[0])
    await market.forget(hashes)
    const listed = await runCli(
      ['orders', 'list', '--url', market.service.url, '--key', market.service.key],
      {},
    )
    expect(listed.code, listed.err).toBe(0)
  })
})
