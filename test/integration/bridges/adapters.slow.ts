/** Bridges between two chains with their real contracts: what adapters foresee is what relayers then do. */
import {
  decodeErrorResult,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  toFunctionSelector,
  zeroAddress,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { BridgeAdapter, DeliveryTerms, Lane } from '../../../src/bridges/bridge.js'
import { stargate } from '../../../src/bridges/stargate/index.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { contractAddress, executorAddress } from '../../../src/executor/deployments.js'
import { executorErrorsAbi } from '../../../src/executor/errors.js'
import { ether, fallbackReceiver, receiver } from '../../support/bridges/chain.js'
import { across, arrive, decimalsOf, gas, orderTerms } from '../../support/bridges/orders.js'
import { compose, fill, receive } from '../../support/bridges/relay.js'
import {
  foresee,
  laneOf,
  quoted,
  refundReceiver,
  sendTransfer,
  statusAt,
} from '../../support/bridges/transfer.js'
import {
  type Connected,
  credit,
  messagingFee,
  poolFee,
  startTwoChains,
} from '../../support/bridges/two-chains.js'

let both: readonly [Connected, Connected]
let snapshots: Hex[]

beforeAll(async () => {
  both = await startTwoChains()
  snapshots = await Promise.all(both.map(({ anvil }) => anvil.rpc<Hex>('evm_snapshot')))
})

afterAll(() => Promise.all((both ?? []).map(({ anvil }) => anvil.stop())))

/** @returns source and destination. */
async function fresh(direction: Direction): Promise<readonly [Connected, Connected]> {
  for (const [index, { anvil }] of both.entries()) {
    await anvil.rpc('evm_revert', [snapshots[index]])
    snapshots[index] = await anvil.rpc<Hex>('evm_snapshot')
  }
  const [one, other] = both
  return direction === 'from 1 to 8453' ? [one, other] : [other, one]
}

type Direction = 'from 1 to 8453' | 'from 8453 to 1'
const directions: readonly Direction[] = ['from 1 to 8453', 'from 8453 to 1']

const accountTerms: DeliveryTerms = {
  receiver,
  message: '0x',
  gas: 0n,
  gasPrice: 1n,
  deliveryCost: 0n,
  plainDeliveryCost: 0n,
}

function outputOf(destination: Connected, lane: Lane): Address {
  if (lane.tokenOut === nativeToken) return nativeToken
  return lane.tokenOut === destination.weth ? destination.usdc : destination.weth
}

/** Of an amount below the minimum: by the helper contract's name, and by Stargate_SlippageTooHigh. */
const refusals: Readonly<Record<string, RegExp>> = {
  across: /StepFailed.*BelowMinimum/,
  stargate: new RegExp(`StepFailed.*${toFunctionSelector('Stargate_SlippageTooHigh()')}`),
}

interface Case {
  readonly adapter: BridgeAdapter
  readonly symbol: string
  /** In whole units, and what is left of an amount that has all decimals. */
  readonly whole: bigint
  readonly byReference: boolean
}

const cases: readonly Case[] = [
  { adapter: stargate, symbol: 'USDC', whole: 234n, byReference: false },
  { adapter: stargate, symbol: 'USDC', whole: 77n, byReference: true },
  { adapter: stargate, symbol: 'ETH', whole: 3n, byReference: false },
  { adapter: stargate, symbol: 'ETH', whole: 1n, byReference: true },
  { adapter: across, symbol: 'USDC', whole: 234n, byReference: false },
  { adapter: across, symbol: 'USDC', whole: 77n, byReference: true },
  { adapter: across, symbol: 'WETH', whole: 3n, byReference: false },
  { adapter: across, symbol: 'WETH', whole: 1n, byReference: true },
]

/** Not a round one. */
function amountOf(source: Connected, { symbol, whole }: Case): bigint {
  return whole * 10n ** decimalsOf(source, symbol) + 123_457n
}

describe.each(directions)('%s', (direction) => {
  test.each(cases)(
    '$adapter.slug, $whole $symbol, by reference $byReference: an order runs with what was foreseen, to the wei',
    async (one) => {
      const { adapter, symbol, byReference } = one
      const chains = await fresh(direction)
      const [source, destination] = chains
      const lane = laneOf(adapter, chains, symbol)
      const terms = orderTerms(destination, lane, 1n)
      const amountIn = amountOf(source, one)
      const sent = await sendTransfer({ adapter, chains, lane, terms, amountIn, byReference })
      expect(sent.delivery).toMatchObject({ token: lane.tokenOut, message: terms.message })
      expect(sent.delivery.amount).toBe(sent.quote.delivered)
      expect(await statusAt(adapter, destination, sent.delivery)).toMatchObject({
        status: 'inflight',
      })

      const token = outputOf(destination, lane)
      const foreseen = await foresee(adapter, destination, sent.delivery, {
        gas,
        token,
        owner: receiver,
      })
      if (foreseen.status !== 'success') throw new Error(JSON.stringify(foreseen, String))
      const before = await destination.balance(token, receiver)
      const last = await arrive(adapter, chains, sent.mined, true)
      expect(last.ok).toBe(true)
      const gained = (await destination.balance(token, receiver)) - before
      expect(gained).toBe(foreseen.deltas[0]?.amount)
      const { delivered } = sent.quote
      const price = token === nativeToken ? 0n : delivered / 1_000n
      expect(gained).toBe(delivered - price)
      // The relayer's address is another, with more or fewer zero bytes.
      const difference = Number(last.gasUsed - foreseen.gasUsed)
      if (adapter === across) expect(Math.abs(difference)).toBeLessThan(100)
      else expect(difference).toBe(0)
      const { hash } = last
      expect(await statusAt(adapter, destination, sent.delivery)).toEqual({
        status: 'delivered',
        transactionHash: hash,
      })
      // An earlier order with the same message would have left the same contract.
      const untold = await statusAt(adapter, destination, sent.delivery, { logs: false })
      expect(untold).toMatchObject({ status: 'unknown', transactionHash: null })
      expect(untold.error).toMatch(/has arrived.* only events tell/)
      // Nothing is left where strangers could reach it, nor an allowance.
      for (const left of [contractAddress('DestinationReceiver'), lane.orderReceiver]) {
        expect(await destination.balance(lane.tokenOut, left)).toBe(0n)
      }
    },
  )

  test.each(cases)(
    '$adapter.slug, $whole $symbol, by reference $byReference: an account is paid what was foreseen',
    async (one) => {
      const { adapter, symbol, byReference } = one
      const chains = await fresh(direction)
      const [source, destination] = chains
      const lane = laneOf(adapter, chains, symbol)
      const terms = { ...accountTerms, deliveryCost: 77n }
      const amountIn = amountOf(source, one)
      const tried = { adapter, chains, lane, terms, amountIn, byReference }
      await expect(sendTransfer({ ...tried, more: 1n })).rejects.toThrow(refusals[adapter.slug])
      const sent = await sendTransfer(tried)
      expect(await statusAt(adapter, destination, sent.delivery)).toMatchObject({
        status: 'inflight',
      })
      const token = lane.tokenOutToAccounts
      const foreseen = await foresee(adapter, destination, sent.delivery, {
        gas: 0n,
        token,
        owner: receiver,
      })
      if (foreseen.status !== 'success') throw new Error(JSON.stringify(foreseen, String))
      const last = await arrive(adapter, chains, sent.mined, false)
      expect(await destination.balance(token, receiver)).toBe(sent.quote.delivered)
      expect(foreseen.deltas[0]?.amount).toBe(sent.quote.delivered)
      for (const logs of [true, false]) {
        expect(await statusAt(adapter, destination, sent.delivery, { logs })).toEqual({
          status: 'delivered',
          transactionHash: logs ? last.hash : null,
        })
      }
    },
  )
})

describe.each(directions)('%s', (direction) => {
  test.each(cases.filter(({ byReference }) => !byReference))(
    '$adapter.slug, $symbol: what is expected of another amount is what is sent of it at the same block',
    async (one) => {
      const { adapter, symbol } = one
      const send = async (amountIn: bigint) => {
        const chains = await fresh(direction)
        // Its deadlines follow the time of the block.
        await chains[0].anvil.rpc('anvil_setBlockTimestampInterval', [1])
        const lane = laneOf(adapter, chains, symbol)
        const terms = orderTerms(chains[1], lane, 1n)
        return sendTransfer({ adapter, chains, lane, terms, amountIn, byReference: false })
      }
      const amountIn = amountOf(both[direction === 'from 1 to 8453' ? 0 : 1], one)
      const first = await send(amountIn)
      const other = await send(3n * amountIn + 1n)
      const amounts = { sent: 3n * amountIn + 1n, delivered: other.quote.delivered }
      const expected = adapter.withAmounts?.(first.delivery, amounts)
      expect(expected).toEqual({ ...other.delivery, id: expect.any(String) })
      expect(expected).not.toEqual({ ...first.delivery, id: expect.any(String) })
    },
  )
})

const abi = parseAbi([
  'function pauseDeposits(bool pause)',
  'function setPause(bool paused)',
  'function setPaused(uint32 eid, bool isPaused)',
  'struct TargetCredit { uint32 srcEid; uint64 amount; uint64 minAmount; }',
  'function sendCredits(uint32 eid, TargetCredit[] credits)',
  'function allowance(address owner, address spender) view returns (uint256)',
])

describe('an order that fails', () => {
  test.each(cases)(
    '$adapter.slug, $whole $symbol, by reference $byReference: its fallback receiver has all of it',
    async (one) => {
      const { adapter, symbol, byReference } = one
      const chains = await fresh('from 1 to 8453')
      const [source, destination] = chains
      const lane = laneOf(adapter, chains, symbol)
      const terms = orderTerms(destination, lane, 2n ** 100n)
      const amountIn = amountOf(source, one)
      const { delivery, mined } = await sendTransfer({
        adapter,
        chains,
        lane,
        terms,
        amountIn,
        byReference,
      })
      const last = await arrive(adapter, chains, mined, true)
      expect(await destination.balance(lane.tokenOut, fallbackReceiver)).toBe(delivery.amount)
      const status = await statusAt(adapter, destination, delivery)
      expect(status).toMatchObject({ status: 'failed', transactionHash: last.hash })
      const data = status.revertData ?? '0x'
      expect(decodeErrorResult({ abi: executorErrorsAbi, data }).errorName).toBe(
        'InsufficientOutput',
      )
      expect(await statusAt(adapter, destination, delivery, { logs: false })).toEqual({
        status: 'failed',
        transactionHash: null,
        error: status.error,
      })
    },
  )
})

describe('Across', () => {
  async function deposited(minAmountOut = 1n) {
    const chains = await fresh('from 1 to 8453')
    const lane = laneOf(across, chains, 'USDC')
    const terms = orderTerms(chains[1], lane, minAmountOut)
    const amountIn = 5_000_000n
    return {
      chains,
      lane,
      ...(await sendTransfer({ adapter: across, chains, lane, terms, amountIn })),
    }
  }

  test('a deposit that nobody fills in time has failed, and no fill comes after', async () => {
    const { chains, delivery, mined } = await deposited()
    const [source, destination] = chains
    const deadline = Number(delivery.details.fillDeadline)
    const { rpc } = destination.anvil
    await rpc('evm_setNextBlockTimestamp', [numberToHex(deadline)])
    await rpc('evm_mine')
    expect((await statusAt(across, destination, delivery)).status).toBe('inflight')
    await rpc('evm_setNextBlockTimestamp', [numberToHex(deadline + 1)])
    await rpc('evm_mine')
    const over = await statusAt(across, destination, delivery)
    expect(over).toMatchObject({ status: 'failed', transactionHash: null })
    expect(over.error).toContain(source.owner)
    expect((await fill(mined, source, destination)).ok).toBe(false)
  })

  test('without our contract there, what a fill pays lies at its address: no order ran', async () => {
    const { chains, delivery, mined } = await deposited()
    const [source, destination] = chains
    const address = contractAddress('DestinationReceiver')
    await destination.anvil.rpc('anvil_setCode', [address, '0x'])
    expect((await fill(mined, source, destination)).ok).toBe(true)
    expect(await destination.balance(destination.usdc, address)).toBe(delivery.amount)
    for (const logs of [true, false]) {
      const found = await statusAt(across, destination, delivery, { logs })
      expect(found.status).toBe('unknown')
      expect(found.error).toContain(address)
    }
  })

  test('the least amount is one that delivers something; paused deposits are refused', async () => {
    const chains = await fresh('from 8453 to 1')
    const [source] = chains
    const lane = laneOf(across, chains, 'USDC')
    const terms = { ...accountTerms, deliveryCost: 1_000_001n }
    const refused = await quoted(across, source, lane, terms, 10n)
    if (!('limit' in refused) || refused.limit === undefined) throw new Error('no limit')
    expect(refused).toMatchObject({ reason: 'too-little' })
    const least = await quoted(across, source, lane, terms, refused.limit)
    expect(least).toMatchObject({ delivered: 1n, nativeFee: 0n, maximum: null })
    expect(await quoted(across, source, lane, terms, refused.limit - 1n)).toEqual(
      refused.limit > 0n ? expect.objectContaining({ reason: 'too-little' }) : null,
    )

    // As deployed without its proxy it is nobody's, so that nobody may pause it.
    const { rpc } = source.anvil
    await rpc('anvil_impersonateAccount', [zeroAddress])
    await rpc('anvil_setBalance', [zeroAddress, numberToHex(ether)])
    const data = encodeFunctionData({ abi, functionName: 'pauseDeposits', args: [true] })
    expect((await source.sent({ from: zeroAddress, to: source.spokePool, data })).ok).toBe(true)
    expect(await quoted(across, source, lane, terms, ether)).toMatchObject({ reason: 'paused' })
  })
})

describe('Stargate', () => {
  test('between payment and compose it is in flight, also after a compose with too little gas', async () => {
    const chains = await fresh('from 1 to 8453')
    const [, destination] = chains
    const lane = laneOf(stargate, chains, 'USDC')
    const terms = orderTerms(destination, lane, 1n)
    const sent = await sendTransfer({
      adapter: stargate,
      chains,
      lane,
      terms,
      amountIn: 5_000_000n,
    })
    const paid = await receive(sent.mined, destination, destination.library)
    expect((await statusAt(stargate, destination, sent.delivery)).status).toBe('inflight')
    expect((await compose(paid, destination, 600_000n)).ok).toBe(false)
    expect((await statusAt(stargate, destination, sent.delivery)).status).toBe('inflight')
    // What was paid for is enough: the executor gives the call the gas, and pays for the transaction besides.
    expect((await compose(paid, destination, gas)).ok).toBe(true)
    expect((await statusAt(stargate, destination, sent.delivery)).status).toBe('delivered')
  })

  test('a payout that fails waits at the pool', async () => {
    const chains = await fresh('from 1 to 8453')
    const [, destination] = chains
    const lane = laneOf(stargate, chains, 'ETH')
    const terms = { ...accountTerms, receiver: destination.usdc }
    const sent = await sendTransfer({ adapter: stargate, chains, lane, terms, amountIn: ether })
    expect((await receive(sent.mined, destination, destination.library)).ok).toBe(true)
    const found = await statusAt(stargate, destination, sent.delivery)
    expect(found).toMatchObject({ status: 'inflight', transactionHash: null })
    expect(found.error).toMatch(/could not pay/)
  })

  test('dust and the surplus of the fee go to the refund receiver, and no allowance is left', async () => {
    const chains = await fresh('from 8453 to 1')
    const [source] = chains
    const dust = 999_999_999_999n
    const surplus = 77n
    const tokens = laneOf(stargate, chains, 'USDC')
    const one = {
      adapter: stargate,
      chains,
      terms: accountTerms,
      amountIn: ether + dust,
      surplus,
    }
    await sendTransfer({ ...one, lane: tokens, byReference: true })
    expect(await source.balance(source.usdc, refundReceiver)).toBe(dust)
    expect(await source.balance(nativeToken, refundReceiver)).toBe(surplus)
    const args = [executorAddress(source.owner), source.tokenPool] as const
    const data = encodeFunctionData({ abi, functionName: 'allowance', args })
    const allowed = await source.anvil.rpc<Hex>('eth_call', [{ to: source.usdc, data }, 'latest'])
    expect(BigInt(allowed)).toBe(0n)
    for (const byReference of [true, false]) {
      const before = await source.balance(nativeToken, refundReceiver)
      await sendTransfer({ ...one, lane: laneOf(stargate, chains, 'ETH'), byReference })
      expect(await source.balance(nativeToken, refundReceiver)).toBe(before + dust + surplus)
    }
  })

  test('less than a unit, more than the credit, no credit, a paused path and a paused pool are refused', async () => {
    const chains = await fresh('from 8453 to 1')
    const [source, destination] = chains
    const lane = laneOf(stargate, chains, 'USDC')
    const ask = (amountIn: bigint) => quoted(stargate, source, lane, accountTerms, amountIn)
    const unit = 10n ** 12n
    const most = credit * unit
    expect(await ask(unit - 1n)).toMatchObject({ reason: 'too-little', limit: unit })
    expect(await ask(most + unit)).toMatchObject({ reason: 'too-much', limit: most })
    const fee = (credit * BigInt(poolFee)) / 1_000_000n + 1n
    expect(await ask(most + unit - 1n)).toEqual({
      delivered: credit - fee,
      nativeFee: messagingFee,
      maximum: most,
      unit,
      warnings: [],
    })
    const set = (to: Address, data: Hex) => source.set(to, data)
    const library = source.feeLibraries.get(source.tokenPool) ?? zeroAddress
    for (const isPaused of [true, false]) {
      const args = [destination.eid, isPaused] as const
      await set(library, encodeFunctionData({ abi, functionName: 'setPaused', args }))
      expect('reason' in (await ask(ether))).toBe(isPaused)
      if (isPaused) expect(await ask(ether)).toMatchObject({ reason: 'paused' })
    }
    const all = [{ srcEid: destination.eid, amount: credit, minAmount: 0n }]
    const args = [destination.eid, all] as const
    await set(source.tokenPool, encodeFunctionData({ abi, functionName: 'sendCredits', args }))
    expect(await ask(ether)).toMatchObject({ reason: 'no-credit' })
    await set(source.tokenPool, encodeFunctionData({ abi, functionName: 'setPause', args: [true] }))
    expect(await ask(ether)).toMatchObject({ reason: 'paused' })
  })
})
