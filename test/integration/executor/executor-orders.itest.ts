import {
  decodeEventLog,
  encodeFunctionData,
  getAddress,
  type Hex,
  hexToBigInt,
  numberToHex,
  parseAbi,
} from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ExecutorStep, Order, RoutingStrategy } from '../../../src/domain/order.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'
import { buildTransaction, decodeAmountsOut, runnerAddress } from '../../../src/executor/compile.js'
import { deployContracts, planDeployment } from '../../../src/executor/deploy.js'
import {
  composeLanding,
  contractAddress,
  deploymentOverrides,
  executorContracts,
} from '../../../src/executor/deployments.js'
import { spenderOf } from '../../../src/executor/strategies.js'
import { startAnvil, type TestAnvil } from '../../support/anvil.js'
import { compileMocks, deploy, type Receipt, send } from './executor-contracts.js'

const abi = parseAbi([
  'function deposit() payable',
  'function mint(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'function stored() view returns (uint256)',
  'function swap(address recipient, bool zeroForOne, int256 amountSpecified, uint160 limit, bytes data) returns (int256, int256)',
  'struct Deposit { address token; uint128 amount; address onBehalfOf; }',
  'function deposit(Deposit params, uint256[] more) payable returns (uint256, uint256)',
  'function delegate(address target, bytes data) returns (bytes)',
])
const wrap = abi[0]
const poolSwap = abi[5]
const tupleDeposit = abi[6]

/** Anvil's first account; its key is public. */
const deployerKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ether = 10n ** 18n
const receiver: Address = '0x00000000000000000000000000000000000cafe0'
const refundReceiver: Address = '0x00000000000000000000000000000000000dead1'
const feeReceiver: Address = '0x0000000000000000000000000000000000000fee'

let anvil: TestAnvil
let user: Address
let weth: Address
let usdc: Address
let pool: Address
let recorder: Address
let safe: Address
let payer: Address

beforeAll(async () => {
  anvil = await startAnvil([])
  const accounts = await anvil.rpc<Address[]>('eth_accounts')
  const mocks = compileMocks()
  user = accounts[1] ?? receiver
  weth = await deploy(anvil, user, mocks.MockWeth)
  usdc = await deploy(anvil, user, mocks.MockToken)
  pool = await deploy(anvil, user, mocks.V3LikePool, [weth, usdc])
  recorder = await deploy(anvil, user, mocks.Recorder)
  safe = await deploy(anvil, user, mocks.DelegatecallingAccount)
  payer = await deploy(anvil, user, mocks.DirectPayer)
  await call(usdc, 'mint', [pool, 1_000n * ether])
  await call(usdc, 'mint', [user, 1_000n * ether])
  await send(anvil, { from: user, to: weth, data: '0xd0e30db0', value: numberToHex(100n * ether) })
}, 60_000)

afterAll(() => anvil.stop())

function call(to: Address, functionName: 'mint' | 'approve', args: [Address, bigint]) {
  return send(anvil, { from: user, to, data: encodeFunctionData({ abi, functionName, args }) })
}

async function balance(token: Address, owner: Address): Promise<bigint> {
  if (token === nativeToken)
    return BigInt(await anvil.rpc<Hex>('eth_getBalance', [owner, 'latest']))
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] })
  return hexToBigInt(await anvil.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

/** What a transaction with one output says that the receiver gained. */
function gainOf(token: Address, returned: Hex) {
  return decodeAmountsOut({ outputs: [{ token, minAmountOut: 0n }] }, returned)
}

function order(changes: Partial<Order>): Order {
  return {
    inputs: [],
    feeReceiver,
    steps: [],
    outputs: [],
    receiver,
    refundReceiver,
    sweep: [],
    deadline: 2n ** 40n,
    accountId: `0x${'ac'.repeat(32)}`,
    referralCode: `0x${'4d'.repeat(16)}`,
    ...changes,
  }
}

/** Swaps everything of WETH that may be spent, paid by callback, to `recipient`. */
function swapStep(recipient: Address): ExecutorStep {
  const amount = { ref: 'balance', token: weth } as const
  const zeroForOne = weth < usdc
  const args = [recipient, zeroForOne, amount, 0n, '0x']
  return { kind: 'call', target: pool, abi: poolSwap, args, payToken: weth }
}

/** Sends the compiled order; a delegatecall goes through an account that makes it. */
async function run(strategy: RoutingStrategy, from: Address, value: Order) {
  const tx = buildTransaction({ strategy, from, order: value })
  const call =
    from === safe
      ? {
          from: user,
          to: safe,
          data: encodeFunctionData({ abi, functionName: 'delegate', args: [tx.to, tx.data] }),
        }
      : { from: tx.from, to: tx.to, data: tx.data, value: numberToHex(tx.value) }
  const returned = await anvil.rpc<Hex>('eth_call', [call, 'latest'])
  return { tx, returned, receipt: await send(anvil, call) }
}

function routedEvent(receipt: Receipt) {
  const { abi } = executorContracts.Router
  const events = receipt.logs.flatMap(({ topics, data }) => {
    try {
      return [decodeEventLog({ abi, topics, data })]
    } catch {
      return []
    }
  })
  return events.map(({ args }) => args)
}

/** Two pools of one endpoint, and one of another. */
const pools = [
  { endpoint: '0x1a44076050125825900e736c501f859c50fe728c', pool: `0x${'a1'.repeat(20)}` },
  { endpoint: '0x1a44076050125825900e736c501f859c50fe728c', pool: `0x${'a2'.repeat(20)}` },
  { endpoint: `0x00${'e1'.repeat(19)}`, pool: `0x${'a1'.repeat(20)}` },
] as const
const landingsOf = (chainId: number) => (chainId === 31_337 ? pools.map(composeLanding) : [])

describe('deployContracts', () => {
  test('plans, deploys through the proxy, and leaves alone what is there', async () => {
    const before = await planDeployment(anvil.url, landingsOf)
    expect(before.contracts.map(({ state }) => state)).toEqual(before.contracts.map(() => 'absent'))

    const args = { rpcUrl: anvil.url, privateKey: deployerKey, landingsOf } as const
    const refused = await deployContracts({ ...args, confirm: () => false })
    expect(refused.contracts.every(({ state }) => state === 'absent')).toBe(true)

    const first = await deployContracts({ ...args, confirm: () => true })
    expect(first.contracts.every(({ state }) => state === 'present')).toBe(true)
    const landings = first.contracts.filter(({ name }) => name === 'ComposeLanding')
    expect(landings.map(({ pool }) => pool)).toEqual(pools.map(({ pool }) => pool))
    expect(new Set(first.contracts.map(({ address }) => address)).size).toBe(first.contracts.length)
    const sent = first.contracts.filter(({ transactionHash }) => transactionHash)
    expect(sent.map(({ name }) => name)).toEqual(
      before.contracts.filter(({ deployer }) => !deployer).map(({ name }) => name),
    )

    const again = await deployContracts({
      ...args,
      confirm: () => {
        throw new Error('nothing to ask')
      },
    })
    expect(again.contracts.every(({ transactionHash }) => transactionHash === null)).toBe(true)
  })

  test('knows the code of OrderSettlement again, which has the id of its chain', async () => {
    const chain = await startAnvil(['--chain-id', '10'])
    const extras = ['OrderSettlement'] as const
    const confirm = () => true
    const rpcUrl = chain.url
    const args = { rpcUrl, privateKey: deployerKey, landingsOf: () => [], extras, confirm } as const
    try {
      const first = await deployContracts(args)
      expect(first.contracts.at(-1)).toMatchObject({ name: extras[0], state: 'present' })
      const again = await planDeployment(chain.url, args.landingsOf, extras)
      expect(again.contracts.every(({ state }) => state === 'present')).toBe(true)
    } finally {
      await chain.stop()
    }
  })

  test('refuses a chain without the deployment proxy, and a node that does not answer', async () => {
    const proxy = '0x4e59b44847b379578588920ca78fbf26c0b4956c'
    const code = await anvil.rpc<Hex>('eth_getCode', [proxy, 'latest'])
    await anvil.rpc('anvil_setCode', [proxy, '0x'])
    await expect(planDeployment(anvil.url, landingsOf)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
    })
    await anvil.rpc('anvil_setCode', [proxy, code])
    const failed = planDeployment('http://secret:key@127.0.0.1:1/path-key', landingsOf)
    await expect(failed).rejects.toMatchObject({ code: 'UPSTREAM_UNAVAILABLE' })
    await expect(failed).rejects.not.toThrow(/key/)
  })

  test('refuses other code at one of the addresses', async () => {
    const address = contractAddress('UniswapV2Swapper')
    const code = await anvil.rpc<Hex>('eth_getCode', [address, 'latest'])
    await anvil.rpc('anvil_setCode', [address, '0x00'])
    const confirm = () => true
    const args = { rpcUrl: anvil.url, privateKey: deployerKey, landingsOf, confirm } as const
    await expect(deployContracts(args)).rejects.toMatchObject({ code: 'INVALID_REQUEST' })
    await anvil.rpc('anvil_setCode', [address, code])
  })
})

describe('deploymentOverrides', () => {
  test('places exactly the code that a deployment leaves, children with their parents', async () => {
    const overrides = deploymentOverrides(['Router', 'UniswapV2Swapper'])
    expect(Object.keys(overrides).sort()).toEqual(
      (['Router', 'Executor', 'UniswapV2Swapper'] as const).map(contractAddress).sort(),
    )
    for (const [address, { code }] of Object.entries(
      deploymentOverrides(undefined, landingsOf(31_337)),
    )) {
      expect(await anvil.rpc('eth_getCode', [address, 'latest'])).toBe(code)
    }
  })
})

describe('buildTransaction', () => {
  test('router: native in, fee, wrap, V3-like swap paid by callback, paid to the receiver', async () => {
    const before = await balance(usdc, receiver)
    const wrapAll: ExecutorStep = {
      kind: 'call',
      target: weth,
      abi: wrap,
      args: [],
      value: { ref: 'balance', token: nativeToken },
    }
    const { receipt, returned, tx } = await run(
      'router',
      user,
      order({
        inputs: [{ token: nativeToken, amount: 2n * ether, fee: ether }],
        steps: [wrapAll, swapStep(receiver)],
        outputs: [{ token: usdc, minAmountOut: (999n * ether) / 1_000n }],
        outputsPaidBySteps: true,
        sweep: [weth],
      }),
    )
    expect(receipt.status).toBe('0x1')
    expect(tx.value).toBe(2n * ether)
    expect(gainOf(usdc, returned)).toEqual([{ token: usdc, amount: (999n * ether) / 1_000n }])
    expect((await balance(usdc, receiver)) - before).toBe((999n * ether) / 1_000n)
    expect(await balance(nativeToken, feeReceiver)).toBe(ether)
    const [event] = routedEvent(receipt)
    expect(event).toMatchObject({
      accountId: `0x${'ac'.repeat(32)}`,
      referralCode: `0x${'4d'.repeat(16)}`,
      sender: getAddress(user),
      receiver: getAddress(receiver),
    })
    const executor = runnerAddress('router', user)
    expect(await balance(weth, executor)).toBe(0n)
    expect(await balance(nativeToken, executor)).toBe(0n)
  })

  test('router: references inside a tuple, narrower than a word, and inside an array', async () => {
    await call(weth, 'approve', [contractAddress('Router'), 10n * ether])
    const amount = { ref: 'balance', token: weth } as const
    const steps: ExecutorStep[] = [
      { kind: 'approve', token: weth, spender: recorder, amount },
      {
        kind: 'call',
        target: recorder,
        abi: tupleDeposit,
        args: [
          { token: weth, amount: { ...amount, bps: 2_500 }, onBehalfOf: user },
          [7n, { ...amount, bps: 5_000 }],
        ],
        output: { kind: 'word', index: 1 },
      },
      {
        kind: 'transfer',
        token: weth,
        to: receiver,
        amount: { ref: 'output', step: 1, bps: 1_000 },
      },
    ]
    const { receipt } = await run(
      'router',
      user,
      order({ inputs: [{ token: weth, amount: 4n * ether }], steps, outputs: [] }),
    )
    expect(receipt.status).toBe('0x1')
    expect(await balance(weth, recorder)).toBe(ether)
    const data = encodeFunctionData({ abi, functionName: 'stored' })
    expect(BigInt(await anvil.rpc<Hex>('eth_call', [{ to: recorder, data }, 'latest']))).toBe(
      2n * ether,
    )
    // A tenth of the second word went on to the receiver, the rest of the input was refunded.
    expect(await balance(weth, receiver)).toBe(ether / 5n)
    expect(await balance(weth, refundReceiver)).toBe(3n * ether - ether / 5n)
  })

  test('router: a warm swap costs at most 31,000 gas more than the least a contract can do', async () => {
    const swapped = { token: weth, amount: ether }
    await call(weth, 'approve', [payer, 2n * ether])
    await call(weth, 'approve', [contractAddress('Router'), 2n * ether])
    const pay = encodeFunctionData({
      abi: parseAbi(['function swap(address, address, bool, int256, uint256)']),
      args: [pool, receiver, weth < usdc, ether, ether / 2n],
    })
    const outputs = [{ token: usdc, minAmountOut: ether / 2n }]
    const steps = [swapStep(receiver)]
    const routed = order({ inputs: [swapped], steps, outputs, outputsPaidBySteps: true })
    // The second of each finds warm balances, and the sender's Executor.
    const gas = { direct: 0n, router: 0n }
    for (let round = 0; round < 2; round++) {
      gas.direct = BigInt((await send(anvil, { from: user, to: payer, data: pay })).gasUsed)
      gas.router = BigInt((await run('router', user, routed)).receipt.gasUsed)
    }
    console.log(`gas: direct ${gas.direct}, through Router ${gas.router}`)
    expect(gas.router - gas.direct).toBeLessThanOrEqual(31_000n)
  })

  test('router: counting only what the Executor paid costs the detour of the output', async () => {
    const gasOf = async (recipient: Address, outputsPaidBySteps: boolean) => {
      await call(weth, 'approve', [contractAddress('Router'), 2n ** 255n])
      const swapped = order({
        inputs: [{ token: weth, amount: ether }],
        steps: [swapStep(recipient)],
        outputs: [{ token: usdc, minAmountOut: ether / 2n }],
        outputsPaidBySteps,
      })
      await run('router', user, swapped)
      return BigInt((await run('router', user, swapped)).receipt.gasUsed)
    }
    const paidByPool = await gasOf(receiver, true)
    const paidByExecutor = await gasOf(runnerAddress('router', user), false)
    console.log(`gas: paid by the pool ${paidByPool}, by the Executor ${paidByExecutor}`)
    // A storage slot that is filled and emptied: the refund for it is capped at a fifth of the whole.
    expect(paidByExecutor - paidByPool).toBeLessThanOrEqual(23_000n)
  })

  test.each<[RoutingStrategy, number]>([
    ['router', 1],
    ['router-legacy', 0],
    ['wallet-v2', 1],
    ['delegate', 1],
    ['delegate-legacy', 0],
  ])('%s: swaps one WETH and emits %i events', async (strategy, events) => {
    const isDelegate = strategy.startsWith('delegate')
    const from = isDelegate ? safe : user
    const spender = spenderOf(strategy)
    if (spender) await call(weth, 'approve', [spender, ether])
    // The account holds more than it spends; the rest must stay.
    const transfer = parseAbi(['function transfer(address to, uint256 amount)'])
    const runner = runnerAddress(strategy, from)
    const held = strategy.startsWith('router') ? 0n : 5n * ether
    if (held > 0n) {
      const missing = held + (isDelegate ? ether : 0n) - (await balance(weth, runner))
      const args = [runner, missing] as const
      await send(anvil, {
        from: user,
        to: weth,
        data: encodeFunctionData({ abi: transfer, functionName: 'transfer', args }),
      })
    }
    const before = await balance(usdc, receiver)
    const { receipt, returned } = await run(
      strategy,
      from,
      order({
        inputs: [{ token: weth, amount: ether }],
        steps: [swapStep(runner)],
        outputs: [{ token: usdc, minAmountOut: ether / 2n }],
      }),
    )
    expect(receipt.status).toBe('0x1')
    const gained = (await balance(usdc, receiver)) - before
    expect(gained).toBe((999n * ether) / 1_000n)
    if (!isDelegate) expect(gainOf(usdc, returned)).toEqual([{ token: usdc, amount: gained }])
    expect(await balance(weth, runner)).toBe(held)
    expect(await balance(usdc, runner)).toBe(0n)
    expect(routedEvent(receipt)).toHaveLength(events)
  })

  test('a delegate order is simulated on an EIP-7702 account that calls itself', async () => {
    const from: Address = '0x00000000000000000000000000000000000a7702'
    const tx = buildTransaction({
      strategy: 'delegate',
      from,
      order: order({
        inputs: [{ token: nativeToken, amount: ether }],
        steps: [
          {
            kind: 'transfer',
            token: nativeToken,
            to: receiver,
            amount: { ref: 'balance', token: nativeToken },
          },
        ],
        outputs: [{ token: nativeToken, minAmountOut: ether }],
        outputsPaidBySteps: true,
      }),
    })
    const code = `0xef0100${contractAddress('Delegate').slice(2)}`
    const overrides = { [from]: { code, balance: numberToHex(3n * ether) } }
    const call = { from, to: from, data: tx.data }
    const returned = await anvil.rpc<Hex>('eth_call', [call, 'latest', overrides])
    expect(gainOf(nativeToken, returned)).toEqual([{ token: nativeToken, amount: ether }])
    const stranger = { ...call, from: user }
    await expect(anvil.rpc('eth_call', [stranger, 'latest', overrides])).rejects.toThrow(/revert/)
  })
})
