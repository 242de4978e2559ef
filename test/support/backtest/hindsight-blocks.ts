/** Jobs of hindsight for tests: plans, and blocks with every kind of transaction. */
import type {
  Hindsight,
  HindsightBlock,
  HindsightPlan,
  OwnSwap,
} from '../../../src/domain/hindsight.js'
import type { Hex } from '../../../src/domain/primitives.js'
import { sandboxToken } from '../../../src/sandbox/tokens.js'

const sender = '0x00000000000000000000000000000000000000a1'
const pool = '0x00000000000000000000000000000000000000b1'
const [weth, usdc] = [sandboxToken('WETH').address, sandboxToken('USDC').address]

export function hindsightPlanOf(change: Partial<HindsightPlan> = {}): HindsightPlan {
  const range = { from: 10n, to: 12n }
  return { kind: 'hindsight', name: 'three blocks', chainId: 1, range, ...change }
}

function hashOf(blockNumber: bigint, index: number): Hex {
  return `0x${(blockNumber * 1_000n + BigInt(index)).toString(16).padStart(64, '0')}`
}

/** @param netBps - null: its gas cannot be valued. */
function ours(netBps: number | null): OwnSwap {
  return {
    amountOut: 2n ** 100n,
    gas: 150_000n,
    tx: { from: sender, to: pool, data: '0x1234', value: 0n },
    route: [{ protocol: 'uniswap-v3', pool: '0xabc' }],
    amountOutBps: 1.5,
    netBps,
    result: netBps === null ? null : netBps > 0.1 ? 'won' : netBps < -0.1 ? 'lost' : 'tied',
  }
}

/** A swap that ours beats, ties and loses to, one that is sandwiched, one without ours, a transfer, and a revert. */
export function hindsightBlockOf(blockNumber: bigint): HindsightBlock {
  const swap = {
    payer: sender,
    tokenIn: weth,
    amountIn: 10n ** 18n,
    tokenOut: usdc,
    amountOut: 2_000_000_000n,
    receiver: sender,
  } as const
  const touched = (protocol: string | null, id: Hex | null = null) => [
    { protocol, address: pool, id } as const,
  ]
  const common: Omit<Hindsight, 'hash' | 'transactionIndex'> = {
    chainId: 1,
    blockNumber,
    from: sender,
    to: pool,
    status: 'success',
    reason: null,
    revertsSince: null,
    gasUsed: 100_000n,
    gasPrice: 10n ** 9n,
    swap,
    noSwap: null,
    through: touched('uniswap-v2'),
    before: ours(1),
    atItsPlace: ours(2),
    sandwich: null,
  }
  const none = { swap: null, before: null, atItsPlace: null, through: [] }
  const kinds: readonly Partial<Hindsight>[] = [
    {},
    { atItsPlace: ours(0.05) },
    { atItsPlace: ours(-12.5), through: touched('uniswap-v4', `0x${'c'.repeat(64)}`) },
    {
      atItsPlace: ours(40),
      sandwich: {
        attacker: pool,
        fronts: [hashOf(blockNumber, 90)],
        backs: [hashOf(blockNumber, 91)],
        pools: touched('uniswap-v2'),
        loss: 5_000_000n,
        lossBps: 25,
      },
    },
    { atItsPlace: { code: 'NO_ROUTE', message: 'No path.' }, through: touched(null) },
    { atItsPlace: ours(null) },
    { ...none, noSwap: '=the sender gives 2 tokens' },
    { ...none, status: 'reverted', reason: 'too little', noSwap: 'it reverted', revertsSince: 8n },
  ]
  return {
    kind: 'hindsight',
    blockNumber,
    blockHash: hashOf(blockNumber, 0),
    timestamp: 1_700_000_000n + blockNumber,
    transactions: kinds.map((kind, transactionIndex) => ({
      ...common,
      hash: hashOf(blockNumber, transactionIndex),
      transactionIndex,
      ...kind,
    })),
    warnings: blockNumber === 11n ? ['Block 11: one is left out.'] : [],
  }
}
