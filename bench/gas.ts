/**
 * Gas of the same swaps through `Router.swap()`, `Router.execute()` and Uniswap's routers with their published code:
 * receipts of transactions on one Anvil at one block of the sandbox, with equal outputs.
 */

import {
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import { ethereum } from '../src/chains/ethereum.js'
import { latestDeadline } from '../src/domain/deadline.js'
import { defined } from '../src/domain/defined.js'
import type { Order } from '../src/domain/order.js'
import { type Address, isNative, zeroAddress } from '../src/domain/primitives.js'
import { buildTransaction } from '../src/executor/compile.js'
import {
  deploymentOverrides,
  executorAddress,
  executorContracts,
} from '../src/executor/deployments.js'
import { buildSwap } from '../src/executor/swap-transaction.js'
import type { Pool } from '../src/protocols/pool.js'
import { canSwap } from '../src/protocols/protocol.js'
import { protocolBySlug } from '../src/protocols/registry.js'
import { planRoute } from '../src/routing/route/plan-route.js'
import { planSwap } from '../src/routing/route/plan-swap.js'
import type { FlowEdge } from '../src/routing/search/flow.js'
import { sandboxPools } from '../src/sandbox/market/catalog.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { startAnvil, type TestAnvil } from '../test/support/anvil.js'
import { tokenNamed } from '../test/support/token-named.js'
import type { Path } from './alternatives/contract.js'
import {
  heldAmount,
  routerItself,
  runCall,
  runsOf,
  tokensOf,
  v3Path,
} from './alternatives/swap-call.js'
import {
  loadCodes,
  permit2,
  placeCodes,
  swapRouter02,
  swapRouterAbi,
  universalRouter,
} from './alternatives/venues.js'
import type { Section } from './section.js'

const sender: Address = '0x00000000000000000000000000000000000a11ce'
const weth = ethereum.wrappedNative
const whole = 10_000

interface HopSpec {
  readonly venue: 'uniswap-v2' | 'uniswap-v3' | 'uniswap-v4'
  readonly from: string
  readonly to: string
  /** 1/1_000_000, of V3 and V4. */
  readonly fee?: number
}

interface Row {
  readonly name: string
  readonly amountIn: bigint
  /** Each with a half of the input. */
  readonly legs: readonly (readonly HopSpec[])[]
}

const v2 = (from: string, to: string): HopSpec => ({ venue: 'uniswap-v2', from, to })
const v3 = (from: string, to: string, fee: number): HopSpec => ({
  venue: 'uniswap-v3',
  from,
  to,
  fee,
})
const v4 = (from: string, to: string, fee: number): HopSpec => ({
  venue: 'uniswap-v4',
  from,
  to,
  fee,
})
const e18 = 10n ** 18n

const rows: readonly Row[] = [
  { name: 'V2, 1 hop', amountIn: 20n * e18, legs: [[v2('UNI', 'WETH')]] },
  { name: 'V2, 2 hops', amountIn: 20n * e18, legs: [[v2('UNI', 'WETH'), v2('WETH', 'USDC')]] },
  { name: 'V3, 1 hop, LINK to WETH', amountIn: 20n * e18, legs: [[v3('LINK', 'WETH', 3000)]] },
  { name: 'V3, 1 hop, WETH to USDC', amountIn: e18, legs: [[v3('WETH', 'USDC', 500)]] },
  {
    name: 'V3, 2 hops',
    amountIn: 20n * e18,
    legs: [[v3('LINK', 'WETH', 3000), v3('WETH', 'USDC', 500)]],
  },
  {
    name: 'V3, 3 hops',
    amountIn: 20n * e18,
    legs: [[v3('LINK', 'WETH', 3000), v3('WETH', 'USDC', 500), v3('USDC', 'DAI', 100)]],
  },
  { name: 'V2 and V3', amountIn: 20n * e18, legs: [[v2('UNI', 'WETH'), v3('WETH', 'USDC', 500)]] },
  {
    name: 'V3 and V2',
    amountIn: 20n * e18,
    legs: [[v3('LINK', 'WETH', 3000), v2('WETH', 'USDC')]],
  },
  { name: 'ether in, V3', amountIn: e18, legs: [[v3('ETH', 'USDC', 500)]] },
  { name: 'ether in, V2', amountIn: e18, legs: [[v2('ETH', 'USDC')]] },
  { name: 'ether out, V3', amountIn: 20n * e18, legs: [[v3('LINK', 'ETH', 3000)]] },
  { name: 'ether out, V2', amountIn: 20n * e18, legs: [[v2('UNI', 'ETH')]] },
  {
    name: 'split, V3 and V3',
    amountIn: e18,
    legs: [[v3('WETH', 'USDC', 500)], [v3('WETH', 'USDC', 3000)]],
  },
  {
    name: 'split, V2 and V3',
    amountIn: e18,
    legs: [[v2('WETH', 'USDC')], [v3('WETH', 'USDC', 500)]],
  },
  { name: 'V4, 1 hop', amountIn: 1000n * 10n ** 6n, legs: [[v4('USDC', 'USDT', 100)]] },
  { name: 'V4, ether in', amountIn: e18, legs: [[v4('ETH', 'USDC', 500)]] },
  {
    name: 'V4, 2 hops',
    amountIn: 10n ** 6n,
    legs: [[v4('WBTC', 'USDC', 3000), v4('USDC', 'USDT', 100)]],
  },
]

/** Call of a way, or null where it cannot carry the row out. */
type Call = { readonly to: Address; readonly data: Hex; readonly value: bigint } | null

/** Of one word, since they differ in the last byte alone. */
const tags = [`0x${'11'.repeat(15)}01`, `0x${'11'.repeat(15)}02`] as const

function twice(call: Call): readonly [Call, Call] {
  return [call, call]
}

export async function gasBench(): Promise<Section> {
  const sandbox = await startSandbox({})
  const anvil = await startAnvil(['--fork-url', sandbox.url, '--chain-id', '1'])
  try {
    await placeCodes(anvil, await loadCodes())
    for (const [address, { code }] of Object.entries(deploymentOverrides())) {
      await anvil.rpc('anvil_setCode', [address, code])
    }
    await anvil.rpc('anvil_impersonateAccount', [sender])
    await anvil.rpc('anvil_setBalance', [sender, numberToHex(1000n * e18)])
    // What a pool writes depends on the seconds since its last swap.
    await anvil.rpc('anvil_setBlockTimestampInterval', [12])
    const snapshot = { id: await anvil.rpc<string>('evm_snapshot') }
    const found: Record<string, string | number>[] = []
    for (const row of rows) {
      const ways: Record<string, readonly [Call, Call]> = {
        SwapRouter02: twice(swapRouterCall(row)),
        'Universal Router': twice(universalRouterCall(row)),
        execute: twice(executeCall(row)),
        'execute, once, new word': [executeCall(row), executeCall(row, tags[0])],
        'execute, once, same word': [executeCall(row, tags[0]), executeCall(row, tags[1])],
        swap: twice(swapCall(row)),
      }
      const measured: Record<string, string | number> = { path: row.name }
      const outputs = new Set<bigint>()
      for (const [name, [first, call]] of Object.entries(ways)) {
        const done = first && call && (await carryOut(anvil, row, [first, call], snapshot))
        measured[name] = done ? Number(done.gasUsed) : '-'
        if (done) outputs.add(done.amountOut)
      }
      if (outputs.size !== 1) throw new Error(`${row.name}: outputs differ: ${[...outputs]}`)
      found.push(measured)
    }
    return {
      name: 'gas of the same swap, from its receipt',
      about:
        'SwapRouter02 without deadline, event and (V3) balance check; Universal Router 2.1.0 paid through Permit2; ours with event and balance check. Once: with a tag that only one order can use, the first of its word of storage and a further one.',
      rows: found,
    }
  } finally {
    await anvil.stop()
    await sandbox.stop()
  }
}

const erc20 = parseAbi([
  'function balanceOf(address) view returns (uint256)',
  'function approve(address, uint256)',
])
const permit2Abi = parseAbi(['function approve(address, address, uint160, uint48)'])

/** Sends the first to warm up what only a first order pays for, and measures the second. */
async function carryOut(
  anvil: TestAnvil,
  row: Row,
  [first, call]: readonly [NonNullable<Call>, NonNullable<Call>],
  snapshot: { id: string },
): Promise<{ readonly gasUsed: bigint; readonly amountOut: bigint }> {
  const [tokenIn, tokenOut] = [tokenInOf(row), tokenOutOf(row)]
  const send = async (to: Address, data: Hex, value = 0n) => {
    const tx = { from: sender, to, data, value: numberToHex(value), gas: numberToHex(5_000_000n) }
    const receipt = await anvil.rpc<{ status: Hex; gasUsed: Hex }>('eth_sendTransactionSync', [
      { ...tx, gasPrice: numberToHex(10n ** 11n) },
    ])
    if (receipt.status !== '0x1') throw new Error(`${row.name}: a transaction to ${to} reverted`)
    return BigInt(receipt.gasUsed)
  }
  for (const token of [tokenIn, tokenOut]) {
    if (isNative(token)) continue
    await anvil.rpc('anvil_dealERC20', [sender, token, numberToHex(row.amountIn * 10n)])
  }
  if (!isNative(tokenIn)) {
    for (const spender of [call.to, permit2]) {
      const data = encodeFunctionData({
        abi: erc20,
        functionName: 'approve',
        args: [spender, maxUint256],
      })
      await send(tokenIn, data)
    }
    const args = [tokenIn, universalRouter, 2n ** 160n - 1n, 2 ** 48 - 1] as const
    await send(permit2, encodeFunctionData({ abi: permit2Abi, functionName: 'approve', args }))
  }
  const balance = async () => {
    if (isNative(tokenOut))
      return BigInt(await anvil.rpc<Hex>('eth_getBalance', [sender, 'latest']))
    const data = encodeFunctionData({ abi: erc20, functionName: 'balanceOf', args: [sender] })
    return BigInt(await anvil.rpc<Hex>('eth_call', [{ to: tokenOut, data }, 'latest']))
  }
  await send(first.to, first.data, first.value)
  const before = await balance()
  const gasUsed = await send(call.to, call.data, call.value)
  const gained = (await balance()) - before
  await anvil.rpc('evm_revert', [snapshot.id])
  snapshot.id = await anvil.rpc<string>('evm_snapshot')
  return { gasUsed, amountOut: isNative(tokenOut) ? gained + gasUsed * 10n ** 11n : gained }
}

function tokenInOf({ legs }: Row): Address {
  return tokenNamed(legs[0]?.[0]?.from ?? '')
}

function tokenOutOf({ legs }: Row): Address {
  return tokenNamed(legs[0]?.at(-1)?.to ?? '')
}

function wrapped(token: Address): Address {
  return isNative(token) ? weth : token
}

const byProtocol = new Map<string, readonly Pool[]>()

function poolOf({ venue, from, to, fee }: HopSpec): Pool {
  const pools = byProtocol.get(venue) ?? sandboxPools().filter(({ protocol }) => protocol === venue)
  byProtocol.set(venue, pools)
  const tokens = [from, to]
    .map(tokenNamed)
    .map((token) => (venue === 'uniswap-v4' ? token : wrapped(token)))
  const pool = pools.find(
    ({ tokens: own, parameters }) =>
      tokens.every((token) => own.includes(token)) && (fee === undefined || parameters.fee === fee),
  )
  if (!pool) throw new Error(`no pool ${venue} ${from}/${to}`)
  return pool
}

/** The row as the search gives it. */
function edgesOf(row: Row): FlowEdge[] {
  const edges = row.legs.flatMap((leg, index) =>
    leg.map((spec, place): FlowEdge => {
      const pool = poolOf(spec)
      const adapter = protocolBySlug(spec.venue)
      if (!adapter || !canSwap(adapter)) throw new Error(spec.venue)
      const isV4 = spec.venue === 'uniswap-v4'
      const token = (symbol: string) => (isV4 ? tokenNamed(symbol) : wrapped(tokenNamed(symbol)))
      return {
        hop: {
          kind: 'swap',
          tokenIn: token(spec.from),
          tokenOut: token(spec.to),
          market: { adapter, loaded: { pool, state: undefined, partial: false } },
        },
        spends:
          place > 0
            ? row.legs.length > 1
              ? 'previous'
              : whole
            : index < row.legs.length - 1
              ? whole / 2
              : whole,
      }
    }),
  )
  const isV4 = row.legs[0]?.[0]?.venue === 'uniswap-v4'
  const [tokenIn, tokenOut] = [tokenInOf(row), tokenOutOf(row)]
  return [
    ...(isNative(tokenIn) && !isV4
      ? [{ hop: { kind: 'wrap', tokenIn, tokenOut: weth }, spends: whole } as const]
      : []),
    ...edges,
    ...(isNative(tokenOut) && !isV4
      ? [{ hop: { kind: 'unwrap', tokenIn: weth, tokenOut }, spends: whole } as const]
      : []),
  ]
}

function orderOf(row: Row): { order: Order; edges: readonly FlowEdge[] } {
  const edges = edgesOf(row)
  const [tokenIn, tokenOut] = [tokenInOf(row), tokenOutOf(row)]
  const plan = planRoute({
    chain: ethereum,
    edges,
    inputs: [{ token: tokenIn, amount: row.amountIn }],
    tokensOut: [tokenOut],
    executor: executorAddress(sender),
    receiver: sender,
    mayPayReceiver: true,
    helpers: Object.fromEntries(
      Object.entries(executorContracts).map(([name, { address: at }]) => [name, at]),
    ),
  })
  const order: Order = {
    inputs: [{ token: tokenIn, amount: row.amountIn }],
    feeReceiver: sender,
    steps: plan.steps,
    outputs: [{ token: tokenOut, minAmountOut: 1n }],
    outputsPaidBySteps: plan.paysReceiver,
    receiver: sender,
    refundReceiver: sender,
    sweep: plan.sweep,
    deadline: latestDeadline,
    accountId: numberToHex(0, { size: 32 }),
    referralCode: numberToHex(0, { size: 16 }),
  }
  return { order, edges }
}

/** @param once - the tag of the order; absent: none. */
function executeCall(row: Row, once?: Hex): Call {
  const order = { ...orderOf(row).order, ...defined({ once }) }
  return buildTransaction({ strategy: 'router', from: sender, order })
}

function swapCall(row: Row): Call {
  const { order, edges } = orderOf(row)
  const legs = planSwap(edges, [tokenInOf(row)], [tokenOutOf(row)])
  return legs && buildSwap({ from: sender, order, legs, measuresPairs: false })
}

/** The Universal Router's word for its caller. */
const callerOfRouter: Address = '0x0000000000000000000000000000000000000001'

/** Hops of V2 and V3, which know no ether. */
function toPath(specs: readonly HopSpec[]): Path {
  return specs.flatMap(({ venue, from, to, fee = 0 }) =>
    venue === 'uniswap-v4'
      ? []
      : [{ venue, tokenIn: wrapped(tokenNamed(from)), tokenOut: wrapped(tokenNamed(to)), fee }],
  )
}

function swapRouterCall(row: Row): Call {
  if (row.legs.flat().some(({ venue }) => venue === 'uniswap-v4')) return null
  const abi = swapRouterAbi
  const isOut = isNative(tokenOutOf(row))
  const calls = row.legs.flatMap((leg) => {
    const runs = runsOf(toPath(leg))
    return runs.map((run, index) =>
      runCall(
        run,
        index > 0 ? heldAmount : row.amountIn / BigInt(row.legs.length),
        index < runs.length - 1 || isOut ? routerItself : sender,
        1n,
      ),
    )
  })
  if (isOut)
    calls.push(encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [1n, sender] }))
  const [only = '0x'] = calls
  const data =
    calls.length === 1
      ? only
      : encodeFunctionData({ abi, functionName: 'multicall', args: [calls] })
  return { to: swapRouter02, data, value: isNative(tokenInOf(row)) ? row.amountIn : 0n }
}

/** @see Uniswap/universal-router 2.1.0, contracts/libraries/Commands.sol */
const commands = { v3: '0x00', v2: '0x08', wrap: '0x0b', unwrap: '0x0c', v4: '0x10' } as const
/** @see Uniswap/v4-periphery, src/libraries/Actions.sol */
const v4Actions = { swapSingle: 0x06, swap: 0x07, settleAll: 0x0c, takeAll: 0x0f } as const
/** The Universal Router's word for all that it holds. */
const heldByRouter = 2n ** 255n

function universalRouterCall(row: Row): Call {
  const [tokenIn, tokenOut] = [tokenInOf(row), tokenOutOf(row)]
  const list: { command: Hex; input: Hex }[] = []
  const isV4 = row.legs[0]?.[0]?.venue === 'uniswap-v4'
  if (isNative(tokenIn) && !isV4) {
    const input = encodeAbiParameters(parseAbiParameters('address, uint256'), [
      routerItself,
      row.amountIn,
    ])
    list.push({ command: commands.wrap, input })
  }
  for (const leg of row.legs) {
    const runs = runsOf(leg)
    for (const [index, run] of runs.entries()) {
      const amountIn = index > 0 ? heldByRouter : row.amountIn / BigInt(row.legs.length)
      const isPaidByUser = index === 0 && !isNative(tokenIn)
      const recipient =
        index < runs.length - 1 || isNative(tokenOut) ? routerItself : callerOfRouter
      if (run[0]?.venue === 'uniswap-v4') {
        list.push({ command: commands.v4, input: v4Input(run, amountIn) })
      } else if (run[0]?.venue === 'uniswap-v3') {
        const input = encodeAbiParameters(
          parseAbiParameters('address, uint256, uint256, bytes, bool'),
          [recipient, amountIn, 1n, v3Path(toPath(run)), isPaidByUser],
        )
        list.push({ command: commands.v3, input })
      } else {
        const path = tokensOf(toPath(run))
        const input = encodeAbiParameters(
          parseAbiParameters('address, uint256, uint256, address[], bool'),
          [recipient, amountIn, 1n, path, isPaidByUser],
        )
        list.push({ command: commands.v2, input })
      }
    }
  }
  if (isNative(tokenOut) && !isV4) {
    const input = encodeAbiParameters(parseAbiParameters('address, uint256'), [callerOfRouter, 1n])
    list.push({ command: commands.unwrap, input })
  }
  const data = encodeFunctionData({
    abi: parseAbi(['function execute(bytes, bytes[]) payable']),
    args: [concatHex(list.map(({ command }) => command)), list.map(({ input }) => input)],
  })
  return { to: universalRouter, data, value: isNative(tokenIn) ? row.amountIn : 0n }
}

function v4Input(run: readonly HopSpec[], amountIn: bigint): Hex {
  const currency = (symbol: string) => (symbol === 'ETH' ? zeroAddress : tokenNamed(symbol))
  const [first] = run
  const currencyIn = currency(first?.from ?? '')
  const currencyOut = currency(run.at(-1)?.to ?? '')
  const keyOf = (spec: HopSpec) => {
    const [currency0, currency1] = [currency(spec.from), currency(spec.to)].sort() as [
      Address,
      Address,
    ]
    const { fee, tickSpacing } = poolOf(spec).parameters
    return {
      currency0,
      currency1,
      fee: Number(fee),
      tickSpacing: Number(tickSpacing),
      hooks: zeroAddress,
    }
  }
  const swap =
    run.length === 1 && first
      ? encodeAbiParameters(
          parseAbiParameters([
            'Single single',
            'struct Single { Key key; bool zeroForOne; uint128 amountIn; uint128 minimum; bytes hookData; }',
            'struct Key { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
          ]),
          [
            {
              key: keyOf(first),
              zeroForOne: currencyIn < currencyOut,
              amountIn,
              minimum: 1n,
              hookData: '0x',
            },
          ],
        )
      : encodeAbiParameters(
          parseAbiParameters([
            'Multi multi',
            'struct Multi { address currencyIn; PathKey[] path; uint256[] hopSlippage; uint128 amountIn; uint128 minimum; }',
            'struct PathKey { address to; uint24 fee; int24 tickSpacing; address hooks; bytes hookData; }',
          ]),
          [
            {
              currencyIn,
              path: run.map((spec) => {
                const { fee, tickSpacing } = keyOf(spec)
                return {
                  to: currency(spec.to),
                  fee,
                  tickSpacing,
                  hooks: zeroAddress,
                  hookData: '0x' as Hex,
                }
              }),
              hopSlippage: [],
              amountIn,
              minimum: 1n,
            },
          ],
        )
  const pair = parseAbiParameters('address, uint256')
  const actions = concatHex(
    [
      run.length === 1 ? v4Actions.swapSingle : v4Actions.swap,
      v4Actions.settleAll,
      v4Actions.takeAll,
    ].map((action) => numberToHex(action, { size: 1 })),
  )
  const params = [
    swap,
    encodeAbiParameters(pair, [currencyIn, amountIn]),
    encodeAbiParameters(pair, [currencyOut, 1n]),
  ]
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [actions, params])
}
