/** eth_simulateV1 through the product's path, against transactions that another Anvil really mines. */

import {
  decodeAbiParameters,
  getAddress,
  keccak256,
  numberToHex,
  pad,
  parseAbiParameters,
  toHex,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ethereum } from '../../../src/chains/ethereum.js'
import {
  type Address,
  type BlockPin,
  type Hex,
  nativeToken,
} from '../../../src/domain/primitives.js'
import type { SimulationRequest, SimulationResult } from '../../../src/domain/state.js'
import { maxTransactionGas, ordinaryGas } from '../../../src/forks/block-environment.js'
import { ForkLostError } from '../../../src/forks/faults.js'
import { createGasBudget, type GasBudget } from '../../../src/forks/gas-budget.js'
import type { ForkLease } from '../../../src/forks/lease.js'
import { ForkPool } from '../../../src/forks/pool.js'
import { simulate } from '../../../src/forks/simulate.js'
import { baseFeeAfter } from '../../support/base-fee.js'
import { mineForReal, startTestChain, type TestChain } from '../../support/test-chain.js'

const stranger: Address = '0x00000000000000000000000000000000beef0001'
const miner: Address = '0x4838b106fce9647bdf1e7877bf73ce8b0bad5f97'
const receiver: Address = '0x00000000000000000000000000000000beef0002'
/** Code that jumps back for ever. */
const endless: Address = '0x00000000000000000000000000000000beef0003'

let testChain: TestChain
let pool: ForkPool
let pin: BlockPin
let lease: ForkLease
let token: Address
let bench: Address
let detector: Address

beforeAll(async () => {
  testChain = await startTestChain()
  // Anvil's own is the zero address, which no real chain has.
  await testChain.node.rpc('anvil_setCoinbase', [miner])
  await testChain.node.rpc('anvil_setCode', [endless, '0x5b5f56'])
  token = await testChain.deploy('PlainToken')
  bench = await testChain.deploy('Bench')
  detector = await testChain.deploy('Detector')
  await testChain.send(token, 'PlainToken', 'mint', [testChain.deployer, 1_000n])
  await testChain.send(token, 'PlainToken', 'approve', [bench, 1_000n])
  await testChain.send(bench, 'Bench', 'fill', [0n, 40n])
  pin = await testChain.pin()
  pool = new ForkPool({ archiveUrl: () => testChain.node.url })
  await pool.warm(pin)
  lease = await pool.acquire(pin)
})

afterAll(async () => {
  await pool?.close()
  await testChain?.stop()
})

function request(
  contract: string,
  functionName: string,
  args: readonly unknown[],
  more: Partial<SimulationRequest> = {},
): SimulationRequest {
  return {
    from: testChain.deployer,
    to: { Bench: bench, Detector: detector }[contract] ?? token,
    data: testChain.encode(contract, functionName, args),
    value: 0n,
    overrides: {},
    ...more,
  }
}

function run(
  requests: readonly SimulationRequest[],
  options: {
    warm?: boolean
    signal?: AbortSignal
    urls?: readonly string[]
    budget?: GasBudget
  } = {},
): Promise<SimulationResult[]> {
  const { urls = lease.urls, ...rest } = options
  return simulate({ urls, pin, chain: ethereum }, requests, {
    ...rest,
    errorsAbi: testChain.abi('Bench'),
  })
}

const transactions: readonly (readonly [string, () => SimulationRequest])[] = [
  ['a first transfer to an address', () => request('PlainToken', 'transfer', [receiver, 10n])],
  [
    'a transfer that empties a balance',
    () => request('PlainToken', 'transfer', [receiver, 1_000n]),
  ],
  ['a pull through an allowance', () => request('Bench', 'pull', [token, 7n])],
  ['refunds at their cap', () => request('Bench', 'clear', [0n, 40n])],
  ['fresh slots', () => request('Bench', 'fill', [40n, 60n])],
  ['a contract creation', () => request('Bench', 'create', [])],
  ['call data at the floor price', () => request('Bench', 'data', [`0x${'ff'.repeat(4_000)}`])],
  [
    'value from a sender that is new to the chain',
    () => {
      const overrides = { [stranger]: { balance: 5n * 10n ** 18n } }
      return request('Bench', 'keep', [], { from: stranger, value: 10n ** 18n, overrides })
    },
  ],
  [
    'a token moved by a sender without ETH, its balance by override',
    () => {
      const slot = keccak256(`${pad(stranger)}${numberToHex(1, { size: 32 }).slice(2)}` as Hex)
      const overrides = { [token]: { stateDiff: { [slot]: numberToHex(50n, { size: 32 }) } } }
      return request('PlainToken', 'transfer', [receiver, 50n], { from: stranger, overrides })
    },
  ],
]

describe('simulate', () => {
  test.each(transactions)('gas equals the mined receipt: %s', async (_name, make) => {
    const [result] = await run([make()])
    const receipt = await mineForReal(testChain, pin, make())
    expect(receipt.status).toBe('0x1')
    expect(result).toMatchObject({ status: 'success', gasUsed: BigInt(receipt.gasUsed) })
  })

  test('measuring balances changes no gas', async () => {
    const plain = request('PlainToken', 'transfer', [receiver, 10n])
    const measured = { ...plain, measure: [{ token, owner: receiver }] }
    const [first, second] = await run([plain, measured])
    expect(first).toMatchObject({ status: 'success', deltas: [] })
    expect(second).toMatchObject({
      status: 'success',
      deltas: [{ token, owner: receiver, amount: 10n }],
    })
    expect(gasOf(first)).toBe(gasOf(second))
  })

  test('native deltas leave gas out, whoever pays and whoever is paid', async () => {
    const native = (owner: Address) => ({ token: nativeToken, owner })
    const measure = [native(testChain.deployer), native(bench), native(receiver)]
    const amounts = (...changes: bigint[]) =>
      measure.map((one, index) => ({ ...one, amount: changes[index] }))
    const [kept, failed] = await run([
      request('Bench', 'keep', [], { value: 3n, measure }),
      request('Bench', 'pay', [receiver, 1n], { value: 0n, measure }),
    ])
    expect(kept).toMatchObject({ status: 'success', deltas: amounts(-3n, 3n, 0n) })
    expect(failed).toMatchObject({ status: 'reverted' })
    const overrides = { [bench]: { balance: 9n } }
    const [paid] = await run([request('Bench', 'pay', [receiver, 4n], { overrides, measure })])
    expect(paid).toMatchObject({ status: 'success', deltas: amounts(0n, -4n, 4n) })
  })

  test('a sender without ETH simulates; one that sends more than it has does not', async () => {
    const [free, broke, exact] = await run([
      request('Bench', 'create', [], { from: stranger }),
      request('Bench', 'keep', [], { from: stranger, value: 1n }),
      request('Bench', 'keep', [], {
        from: stranger,
        value: 1n,
        overrides: { [stranger]: { balance: 1n } },
      }),
    ])
    expect(free).toMatchObject({ status: 'success' })
    expect(broke).toMatchObject({ status: 'reverted', gasUsed: 0n })
    expect(exact).toMatchObject({ status: 'success' })
  })

  test('a contract sees the pinned environment and the balance its caller really has', async () => {
    const overrides = { [stranger]: { balance: 77n } }
    const [result] = await run([request('Bench', 'environment', [], { from: stranger, overrides })])
    const types = 'uint256, uint256, uint256, uint256, address, uint256, uint256, bytes32, uint256'
    expect(decodeAbiParameters(parseAbiParameters(types), returned(result))).toEqual([
      pin.number + 1n,
      pin.timestamp + 12n,
      baseFeeAfter(pin),
      BigInt(keccak256(pin.hash)),
      getAddress(miner),
      pin.gasLimit,
      baseFeeAfter(pin) + ethereum.priorityFeePerGas,
      pin.hash,
      77n,
    ])
  })

  test('a contract that looks for the signs of a simulation finds none of them', async () => {
    const [result] = await run([request('Detector', 'signs', [])])
    expect(BigInt(returned(result))).toBe(0n)
  })

  test('the tip goes to the maker of the block, and shows in no amount', async () => {
    const measure = [miner, stranger].map((owner) => ({ token: nativeToken, owner }))
    const pay = request('Bench', 'pay', [miner, 4n], {
      from: stranger,
      overrides: { [bench]: { balance: 9n } },
      measure,
    })
    const [paid, own] = await run([
      pay,
      request('Bench', 'keep', [], {
        from: miner,
        value: 2n,
        overrides: { [miner]: { balance: 2n } },
        measure,
      }),
    ])
    expect(paid).toMatchObject({ deltas: [{ amount: 4n }, { amount: 0n }] })
    expect(own).toMatchObject({ deltas: [{ amount: -2n }, { amount: 0n }] })
  })

  test('a transaction sees the gas limit that was asked for, else an ordinary one', async () => {
    const left = request('Detector', 'leaveBehind', [])
    const [ordinary, asked] = await run([left, { ...left, gasLimit: 300_000n }])
    expect(BigInt(returned(ordinary))).toBeLessThan(ordinaryGas(pin))
    expect(BigInt(returned(ordinary))).toBeGreaterThan(ordinaryGas(pin) - 30_000n)
    expect(BigInt(returned(asked))).toBeLessThan(300_000n)
    expect(gasOf(asked)).toBe(gasOf(ordinary))
  })

  test('what needs more gas than that gets as much as the chain allows, at any depth of calls', async () => {
    for (const more of [{}, { gasLimit: 200_000n }]) {
      const wants = [
        request('Detector', 'hungry', [5_000_000n], more),
        request('Detector', 'nested', [5_000_000n, 6n], more),
        request('Detector', 'nested', [20_000_000n, 2n], more),
      ]
      for (const warm of [false, true]) {
        const results = await run(wants, { warm })
        expect(results.map(({ status }) => status)).toEqual(['success', 'success', 'reverted'])
        expect(gasOf(results[0])).toBeGreaterThan(5_000_000n)
      }
    }
  })

  test('candidates that loop for ever use the highest limit a few times, not once each, and harm no other', async () => {
    let spent = 0n
    const budget = {
      requests: 1,
      check: () => undefined,
      spend(gas: bigint) {
        spent += gas
      },
    }
    const loop = { from: receiver, to: endless, data: '0x', value: 0n, overrides: {} } as const
    const honest = request('PlainToken', 'transfer', [receiver, 10n])
    const requests = [...Array.from({ length: 24 }, () => loop), honest]
    const results = await run(requests, { warm: true, budget })
    for (const result of results.slice(0, 24)) {
      expect(result).toMatchObject({ status: 'reverted', reason: 'out of gas' })
    }
    expect(results[24]).toEqual((await run([honest]))[0])
    const again = spent - 24n * ordinaryGas(pin) - gasOf(results[24])
    expect(again).toBeGreaterThanOrEqual(3n * maxTransactionGas)
    expect(again).toBeLessThanOrEqual(4n * maxTransactionGas)
  })

  test('preceding calls share four transactions of the largest size, however much a block may hold', async () => {
    const spacious = { ...pin, gasLimit: 2n ** 50n }
    const call = { from: receiver, to: endless, data: '0x' } as const
    let spent = 0n
    const budget = {
      requests: 1,
      check: () => undefined,
      spend(gas: bigint) {
        spent += gas
      },
    }
    const honest = request('PlainToken', 'transfer', [receiver, 10n])
    await simulate(
      { urls: lease.urls, pin: spacious, chain: ethereum },
      [{ ...honest, before: Array.from({ length: 20 }, () => call) }],
      { budget },
    )
    expect(spent).toBeLessThanOrEqual(4n * maxTransactionGas)
  })

  test('a request whose simulations used all gas that it may use gets no more of them', async () => {
    const budget = createGasBudget()
    const honest = request('PlainToken', 'transfer', [receiver, 10n])
    budget.spend(12n * maxTransactionGas)
    expect(await run([honest], { budget })).toMatchObject([{ status: 'success' }])
    budget.spend(maxTransactionGas)
    await expect(run([honest], { budget })).rejects.toMatchObject({
      code: 'SIMULATION_TOO_LARGE',
      details: { maxGas: '218103808' },
    })
  })

  test('two forks, cold or warm, agree on every candidate', async () => {
    const requests = transactions.map(([, make]) => make())
    const fork = (index: number) => ({ urls: [lease.urls[index] ?? ''] })
    const first = await run(requests, fork(0))
    expect(await run(requests, { ...fork(1), warm: true })).toEqual(first)
    expect(await run([...requests, ...requests, ...requests], { warm: true })).toEqual([
      ...first,
      ...first,
      ...first,
    ])
  })

  test('a revert names its reason, and gas up to there', async () => {
    const results = await run([
      request('Bench', 'failError', []),
      request('Bench', 'failPanic', [0n]),
      request('Bench', 'failCustom', []),
      request('Bench', 'failSilently', []),
      request('Bench', 'burn', []),
    ])
    const reasons = results.map((result) => (result.status === 'reverted' ? result.reason : null))
    expect(reasons).toEqual([
      'Error(too little)',
      'Panic(0x12): division by zero',
      expect.stringMatching(/^Custom\(7, 0x[0-9a-fA-F]{40}\)$/),
      'reverted without a reason',
      'out of gas',
    ])
    for (const result of results) expect(gasOf(result)).toBeGreaterThan(21_000n)
  })

  test('preceding calls run first and count in neither gas, logs nor deltas', async () => {
    const before = [
      { from: testChain.deployer, to: token, data: transfer(stranger, 30n) },
      { from: stranger, to: token, data: transfer(receiver, 1n) },
    ]
    const measure = [{ token, owner: stranger }]
    const call = request('PlainToken', 'transfer', [receiver, 5n], { from: stranger, measure })
    const [result, failed] = await run([
      { ...call, before },
      { ...call, before: [{ from: stranger, to: token, data: transfer(receiver, 1n) }] },
    ])
    expect(result).toMatchObject({
      status: 'success',
      deltas: [{ token, owner: stranger, amount: -5n }],
    })
    expect(result?.status === 'success' && result.logs).toHaveLength(1)
    expect(failed).toMatchObject({
      status: 'reverted',
      reason: expect.stringContaining('a preceding call failed: Panic(0x11)'),
    })
  })

  test('a measured address that is no token is a revert with that reason, not a zero', async () => {
    const measure = [{ token: receiver, owner: stranger }]
    const [result] = await run([request('PlainToken', 'transfer', [receiver, 1n], { measure })])
    expect(result).toMatchObject({
      status: 'reverted',
      reason: 'a measured token gives no balance',
    })
  })

  test('an aborted signal ends the work with its reason', async () => {
    const controller = new AbortController()
    const requests = Array.from({ length: 64 }, () => request('Bench', 'burn', []))
    const running = run(requests, { signal: controller.signal, warm: true })
    controller.abort(new Error('the client left'))
    await expect(running).rejects.toThrow('the client left')
    await expect(run(requests, { signal: controller.signal })).rejects.toThrow('the client left')
  })

  test('a fork killed in mid-simulation is a ForkLostError with its URL; its replacement works', async () => {
    const own = new ForkPool({ archiveUrl: () => testChain.node.url, forksPerBlock: 1 })
    try {
      const held = await own.acquire(pin)
      const requests = Array.from({ length: 64 }, () => request('Bench', 'burn', []))
      const running = run(requests, { urls: held.urls, warm: true })
      const [victim] = own.stats().pids
      process.kill(victim ?? 0, 'SIGKILL')
      const error = await running.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(ForkLostError)
      const lost = error instanceof ForkLostError ? error.url : ''
      const urls = await held.reportLost(lost)
      expect(urls).not.toContain(lost)
      const [result] = await run([request('PlainToken', 'transfer', [receiver, 1n])], { urls })
      expect(result).toMatchObject({ status: 'success' })
      held.release()
    } finally {
      await own.close()
    }
  })
})

function transfer(to: Address, amount: bigint): Hex {
  return testChain.encode('PlainToken', 'transfer', [to, amount])
}

function gasOf(result: SimulationResult | undefined): bigint {
  return result && result.status !== 'unreadable' ? result.gasUsed : 0n
}

function returned(result: SimulationResult | undefined): Hex {
  return result?.status === 'success' ? result.returnData : toHex('')
}
