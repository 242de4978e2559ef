/** Results of a backtest as they could be: the same in every run, with errors, reverts, unknowns and large amounts. */
import type {
  BacktestBlock,
  BacktestJob,
  BacktestRow,
  Execution,
  PlanRequest,
  PlanVariant,
} from '../../../src/domain/backtest.js'
import type { LateDelivery } from '../../../src/domain/bridges/terms.js'
import { type Address, nativeToken } from '../../../src/domain/primitives.js'

export interface ResultsShape {
  readonly blocks: number
  readonly requests: number
  readonly variants: number
  readonly delays: readonly number[]
  readonly step?: number
  /** All requests lead to another chain then. */
  readonly deliverySeconds?: readonly number[]
}

const usdc: Address = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const dai: Address = '0x6b175474e89094c44da98b954eedeac495271d0f'
const weth: Address = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const firstBlock = 21_000_000n

const pairs = [
  { name: 'ETH to USDC', from: nativeToken, to: usdc, fromUnits: 18, toUnits: 6, price: 3012.4 },
  { name: 'USDC to DAI', from: usdc, to: dai, fromUnits: 6, toUnits: 18, price: 0.9998 },
  { name: 'DAI to WETH', from: dai, to: weth, fromUnits: 18, toUnits: 18, price: 0.000331 },
] as const

const variantNames = [
  'default',
  'one hop',
  'no splits',
  'without curve',
  'v2 only',
  'wide slippage',
  'few candidates',
  'tight slippage',
  'four hops',
  'no balancer',
]
const protocols = [
  'uniswap-v3',
  'curve',
  'uniswap-v2',
  'balancer-v2',
  'uniswap-v4',
  'sushiswap-v2',
  'pancakeswap-v3',
  'lido',
  'sushiswap-v3',
]

/** @see https://en.wikipedia.org/wiki/Lehmer_random_number_generator */
function randomFrom(seed: number): () => number {
  let state = (seed % 2_147_483_646) + 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

export function sampleJob(shape: ResultsShape): BacktestJob {
  const step = BigInt(shape.step ?? 1)
  const requests = Array.from({ length: shape.requests }, (_, index): PlanRequest => {
    const pair = pairs[index % pairs.length] ?? pairs[0]
    const size = 10 ** Math.floor(index / pairs.length)
    return {
      name: `${size} ${pair.name}`,
      request: {
        chainId: 1,
        strategy: 'router',
        executionMode: 'backend',
        inputs: [{ token: pair.from, amount: BigInt(size) * 10n ** BigInt(pair.fromUnits) }],
        tokensOut: [pair.to],
        limit: { kind: 'slippage', centiBps: 5_000n },
        ignoreAggregators: [],
        ignoreStandards: [],
        includeTransactionCost: true,
        includePriceImpact: true,
        ...(shape.deliverySeconds && {
          crosschain: { destinationChainId: 8453, mode: 'full', ignoreBridges: [] },
        }),
      },
    }
  })
  const variants = Array.from({ length: shape.variants }, (_, index): PlanVariant => {
    const name = variantNames[index] ?? `variant ${index}`
    return { name, router: index === 1 ? { maxHops: 1 } : {}, ignoreStandards: [] }
  })
  return {
    id: '01',
    name: 'ETH and stables over a day',
    chainId: 1,
    accountId: null,
    plan: {
      name: 'ETH and stables over a day',
      chainId: 1,
      range: {
        kind: 'step',
        from: firstBlock,
        to: firstBlock + BigInt(shape.blocks - 1) * step,
        step,
      },
      requests,
      variants,
      baseline: variantNames[0] ?? '',
      delays: shape.delays,
      ...(shape.deliverySeconds && { deliverySeconds: shape.deliverySeconds }),
    },
    state: 'finished',
    problem: null,
    createdAt: 0,
    finishedAt: 1,
    blocksTotal: shape.blocks,
    blocksDone: shape.blocks,
  }
}

/** Ascending, made as they are read. */
export async function* sampleResults({ plan }: BacktestJob): AsyncIterable<BacktestBlock> {
  const { range } = plan
  if (range.kind !== 'step') throw new RangeError('The sample has a range with a step.')
  const random = randomFrom(7)
  const drift = plan.requests.map(() => 1)
  let index = 0
  for (let blockNumber = range.from; blockNumber <= range.to; blockNumber += range.step) {
    const rows = plan.requests.flatMap((request, at) => {
      drift[at] = (drift[at] ?? 1) * (1 + (random() - 0.5) * 0.0012)
      const isBroken = random() < 0.004
      return plan.variants.map((variant, which) =>
        sampleRow({
          plan,
          request,
          variant,
          at,
          which,
          price: drift[at] ?? 1,
          isBroken,
          blockNumber,
          random,
        }),
      )
    })
    yield {
      blockNumber,
      blockHash: `0x${(0xabcdef00 + index).toString(16).padStart(64, '0')}`,
      timestamp: 1_730_000_000n + 12n * (blockNumber - firstBlock),
      rows,
    }
    index += 1
  }
}

function sampleRow(args: {
  readonly plan: BacktestJob['plan']
  readonly request: PlanRequest
  readonly variant: PlanVariant
  readonly at: number
  readonly which: number
  readonly price: number
  readonly isBroken: boolean
  readonly blockNumber: bigint
  readonly random: () => number
}): BacktestRow {
  const { plan, request, variant, at, which, random } = args
  const common = {
    blockNumber: args.blockNumber,
    request: request.name,
    variant: variant.name,
    milliseconds: 20 + Math.round(random() * 60),
  }
  const fails = random() < 0.01 * which
  if (args.isBroken || fails) {
    const error = args.isBroken
      ? ({
          code: 'STATE_UNAVAILABLE',
          message: 'The node does not give state that it needs.',
        } as const)
      : ({ code: 'NO_ROUTE', message: 'No path connects the tokens within the limits.' } as const)
    return { ...common, outcome: { ok: false, error }, executions: [] }
  }
  const pair = pairs[at % pairs.length] ?? pairs[0]
  const amountIn = request.request.inputs[0]?.amount ?? 1n
  const impact = Math.log10(1 + Number(amountIn) / 10 ** pair.fromUnits) * 0.0004
  const worse =
    which === 0 ? random() * 0.00002 : random() < 0.4 ? 0 : random() ** 3 * 0.0006 * which
  const price = pair.price * args.price * (1 - impact) * (1 - worse)
  const scaled = BigInt(Math.round(price * 1e15))
  const amountOut =
    (amountIn * scaled * 10n ** BigInt(pair.toUnits)) / (10n ** 15n * 10n ** BigInt(pair.fromUnits))
  const told = args.blockNumber % 5n === 0n && {
    warnings: ['Gas by "later" rules; as it is.', 'b'],
  }
  const gas = BigInt(150_000 + Math.round(random() * 40_000) + which * 9_000)
  const gasCost = gas * 12_000_000_000n
  return {
    ...common,
    outcome: {
      ok: true,
      amountsOut: [amountOut],
      minAmountsOut: [(amountOut * 9_950n) / 10_000n],
      gas,
      gasCost,
      gasCostUsd: at % 3 === 1 ? null : Number(gasCost) * 3_012.4e-18,
      priceImpact: -impact * 10_000,
      price,
      path: samplePath(which, random),
      ...told,
      ...(plan.deliverySeconds && {
        crosschain: {
          bridge: which === 0 ? 'across' : 'stargate',
          destinationBlock: 5n * args.blockNumber,
          bridgeFee: 10n ** 14n,
          deliveries: plan.deliverySeconds.map((seconds) =>
            sampleDelivery(seconds, args, amountOut),
          ),
        },
      }),
    },
    executions: plan.delays.map((delay): Execution => {
      const luck = random()
      if (luck < 0.01) return { delay, status: 'unknown', message: 'The block is not known yet.' }
      if (luck < 0.01 + 0.012 * delay) {
        const reason = 'MinimumNotMet(0, 2991, 3006)'
        return { delay, status: 'reverted', reason, gas: gas / 2n, ...told }
      }
      const move = BigInt(Math.round((random() - 0.52) * 900 * delay))
      return {
        delay,
        status: 'filled',
        amountsOut: [(amountOut * (1_000_000n + move)) / 1_000_000n],
        gas,
        ...told,
      }
    }),
  }
}

function sampleDelivery(
  seconds: number,
  args: { readonly blockNumber: bigint },
  quoted: bigint,
): LateDelivery {
  const blockNumber = 5n * args.blockNumber + BigInt(Math.floor(seconds / 2))
  const reason = 'InsufficientOutput(0, 2991, 3006)'
  switch (Number(args.blockNumber % 7n)) {
    case 0:
      return { seconds, status: 'unknown', message: 'Chain 8453 has no block then.' }
    case 1:
      return { seconds, status: 'reverted', blockNumber, reason }
    case 2:
    case 3:
      return { seconds, status: 'fallback', blockNumber, token: weth, amount: quoted / 3n, reason }
    default:
      return { seconds, status: 'delivered', blockNumber, amount: (quoted * 9_991n) / 10_000n }
  }
}

function samplePath(which: number, random: () => number) {
  const first = protocols[Math.floor(random() * (2 + which)) % protocols.length] ?? ''
  const second = protocols[Math.floor(random() * protocols.length)] ?? ''
  const pool = `0x${'12'.repeat(20)}`
  if (random() < 0.5) return [{ protocol: first, pool, shareBps: 10_000 }]
  const shareBps = 1_000 + Math.round(random() * 8_000)
  return [
    { protocol: first, pool, shareBps },
    { protocol: second, pool: `0x${'34'.repeat(20)}`, shareBps: 10_000 - shareBps },
    { protocol: 'curve', pool: `0x${'56'.repeat(20)}`, shareBps: 10_000 },
  ]
}
