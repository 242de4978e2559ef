/**
 * A large market through the whole service: 100,000 indexed pairs over 40,000 tokens, which a node adds to the sandbox's
 * chain, against the sandbox alone behind the same kind of node. Both services are asked in turns.
 */
import { setTimeout } from 'node:timers/promises'
import type { Hex } from '../src/domain/primitives.js'
import { createRpcClient, type RpcClient } from '../src/rpc/node/json-rpc.js'
import { sandboxAccount } from '../src/sandbox/accounts.js'
import { contractAddresses, pairAddress } from '../src/sandbox/addresses.js'
import { startSandbox } from '../src/sandbox/sandbox.js'
import { sandboxToken } from '../src/sandbox/tokens.js'
import { asSent, executeOnFork } from '../test/support/execute.js'
import { usageOf } from './compare/processes.js'
import { type LargeMarket, largeMarket } from './large/market.js'
import { startMarketNode } from './large/market-node.js'
import {
  type Kind,
  ofAdded,
  ofSandbox,
  oneEther,
  quote,
  type Side,
  startSide,
  toQuery,
} from './large/sides.js'
import { addedState } from './large/state.js'
import { quantile, type Section } from './section.js'

/** Answers of one side to one kind of request. */
interface Measured {
  readonly times: readonly number[]
  /** Processor time of each answer. */
  readonly serviceMs: number
  readonly forksMs: number
}

const rounds = 6
/** Of each request in a round. */
const quotes = 4
const newBlocks = 9
/** Blocks come seconds apart: what is prepared for the next one is ready by then. */
const idleMs = 2_000

export async function largeBench(): Promise<Section[]> {
  const sandbox = await startSandbox()
  const client = createRpcClient(sandbox.url)
  const sides: Side[] = []
  try {
    const first = Number(sandbox.blockNumber)
    const market = largeMarket(await etherPrice(client))
    const added = await addedState(market, client, first)
    sides.push(await startSide('sandbox', await startMarketNode(sandbox.url, null)))
    const large = await startSide('large market', await startMarketNode(sandbox.url, added))
    sides.push(large)
    const known = await rowsOfSandbox(sides, first)
    const firsts = await firstAnswers(sides, client, first)
    const kinds = ofAdded(market)
    const others = await rowsOfAdded(large, kinds, {
      block: first + newBlocks,
      base: known.base,
    })
    // What was used lately is read ahead at each new block, so that now there is more of it.
    const later = await firstAnswers(sides, client, first + newBlocks)
    const last = first + 2 * newBlocks
    return [
      {
        name: `index of ${market.pairs.length} added pairs over ${market.tokens.length} tokens`,
        about:
          'By `forkroute pools sync` in a process of its own, beside the pools of the sandbox.',
        rows: sides.map(({ index }) => ({ ...index })),
      },
      {
        name: 'warm quotes in turns',
        about:
          'One in flight, all candidates simulated. Requests that name an added token are compared with all of the sandbox alone. Processor time is that of the service and of its forks for each quote.',
        rows: [...known.rows, ...others],
      },
      {
        name: `first answer at a new block, the middle of ${newBlocks}`,
        about:
          'One WETH into USDC in turns at blocks that were just mined, named by their numbers. Neither node takes overrides, proofs or access lists. What was used lately is read ahead at a new block: in the last row also what the requests for added tokens of the table above used.',
        rows: [
          ...firstRows(firsts, 'tokens of the sandbox'),
          ...firstRows(later, 'in the large market added tokens, too'),
        ],
      },
      {
        name: 'memory afterwards',
        about:
          'The largest routing thread by the size of its heap and of its buffers; the service by what the system counts.',
        rows: sides.map((side) => side.memory()),
      },
      {
        name: 'returned transactions on a separate Anvil',
        about:
          'As the account itself runs them, at the newest block of the market’s node. Requests that name no added token keep to other pools: a route through a token that nobody asked for comes after those that need no trust.',
        rows: [await execute(large, [...ofSandbox, ...kinds], { market, block: last })],
      },
    ]
  } finally {
    for (const side of sides) await side.stop()
    await client.close()
    await sandbox.stop()
  }
}

/** Dollars, by the deepest pair of the sandbox. */
async function etherPrice(client: RpcClient): Promise<number> {
  const [weth, usdc] = [sandboxToken('WETH').address, sandboxToken('USDC').address]
  const pair = pairAddress(contractAddresses.v2Factory, weth, usdc)
  const word = BigInt(await client.request<Hex>('eth_getStorageAt', [pair, '0x8', 'latest']))
  const [usdcReserve, wethReserve] = [0n, 112n].map((shift) => BigInt.asUintN(112, word >> shift))
  return Number(usdcReserve) / 1e6 / (Number(wethReserve) / 1e18)
}

/** @returns the rows, and the median of the sandbox alone over all of them. */
async function rowsOfSandbox(sides: readonly Side[], block: number) {
  const [alone, large] = await measureInTurns(sides, ofSandbox, block)
  const rows = ofSandbox.map(({ between }, index) => {
    const [one, other] = [alone?.[index], large?.[index]]
    const ratio = ratioOf(middle(other?.times ?? []), middle(one?.times ?? []))
    return { between, ...cellsOf('sandbox', one), ...cellsOf('large', other), 'p50 ratio': ratio }
  })
  return {
    rows,
    base: middle(alone?.flatMap(({ times }) => times) ?? []),
  }
}

async function rowsOfAdded(
  large: Side,
  kinds: readonly Kind[],
  { block, base }: { readonly block: number; readonly base: number },
): Promise<Section['rows']> {
  const [measured] = await measureInTurns([large], kinds, block)
  return kinds.map(({ between }, index) => {
    const one = measured?.[index]
    const ratio = ratioOf(middle(one?.times ?? []), base)
    return { between, ...cellsOf('sandbox'), ...cellsOf('large', one), 'p50 ratio': ratio }
  })
}

/** Of each side, in their order, each kind in its order. */
async function measureInTurns(
  sides: readonly Side[],
  kinds: readonly Kind[],
  block: number,
): Promise<readonly (readonly Measured[])[]> {
  const all = sides.map(() =>
    kinds.map(() => ({ times: [] as number[], serviceMs: 0, forksMs: 0 })),
  )
  for (let turn = 0; turn <= rounds; turn++) {
    for (const [kind, { asks }] of kinds.entries()) {
      for (const [index, side] of sides.entries()) {
        const own = all[index]?.[kind]
        const before = usageOf(side.service.pid)
        const times: number[] = []
        for (const ask of asks) {
          for (let count = 0; count < quotes; count++) times.push(await quote(side, ask, block))
        }
        const after = usageOf(side.service.pid)
        // The first turn warms threads, forks and markets.
        if (!own || turn === 0) continue
        own.times.push(...times)
        own.serviceMs += (after.serviceMs - before.serviceMs) / times.length / rounds
        own.forksMs += (after.forksMs - before.forksMs) / times.length / rounds
      }
    }
  }
  return all
}

interface FirstAnswers {
  readonly side: string
  readonly ms: number[]
  readonly serviceMs: number[]
}

/** @param head - after which blocks are mined. */
async function firstAnswers(
  sides: readonly Side[],
  client: RpcClient,
  head: number,
): Promise<readonly FirstAnswers[]> {
  const all: FirstAnswers[] = sides.map(({ name }) => ({ side: name, ms: [], serviceMs: [] }))
  for (let block = head + 1; block <= head + newBlocks; block++) {
    await client.request('evm_mine', [])
    const order = [...sides.entries()]
    for (const [index, side] of block % 2 === 0 ? order : order.toReversed()) {
      await setTimeout(idleMs)
      const before = usageOf(side.service.pid)
      all[index]?.ms.push(await quote(side, oneEther, block))
      all[index]?.serviceMs.push(usageOf(side.service.pid).serviceMs - before.serviceMs)
    }
  }
  return all
}

function firstRows(answers: readonly FirstAnswers[], inUse: string): Section['rows'] {
  const base = middle(answers[0]?.ms ?? [])
  return answers.map(({ side, ms, serviceMs }) => ({
    side,
    'in use': inUse,
    ms: Math.round(middle(ms)),
    'least ms': Math.round(Math.min(...ms)),
    'service ms': middle(serviceMs),
    ratio: ratioOf(middle(ms), base),
  }))
}

async function execute(
  { node, service }: Side,
  kinds: readonly Kind[],
  { market, block }: { readonly market: LargeMarket; readonly block: number },
): Promise<Section['rows'][number]> {
  const alice = sandboxAccount('alice').address
  const strategy = 'delegate'
  const added = new Set<string>(market.pairs.map(({ address }) => address))
  const counts = { executed: 0, 'to the unit': 0, 'by added pairs': 0 }
  for (const ask of kinds.flatMap(({ asks }) => asks)) {
    const query = toQuery(ask, block)
    query.append('fromAddress', alice)
    query.append('routingStrategy', strategy)
    const { tx, amountOut, route } = JSON.parse(
      await service.get(`/api/v1/shortcuts/route?${query}`),
    )
    const done = await executeOnFork({
      nodeUrl: node.url,
      blockNumber: block,
      ...asSent(tx, strategy, alice),
      watch: [{ token: ask.tokenOut, owner: alice }],
    })
    const isExact = done.status === 'success' && done.deltas[0] === BigInt(amountOut)
    const addresses: readonly string[] = JSON.stringify(route).match(/0x[0-9a-f]{40}/g) ?? []
    counts.executed += 1
    if (isExact) counts['to the unit'] += 1
    if (addresses.some((address) => added.has(address))) counts['by added pairs'] += 1
  }
  return counts
}

/** Empty where the side was not asked. */
function cellsOf(side: string, measured?: Measured): Record<string, string | number> {
  const { times, serviceMs, forksMs } = measured ?? {}
  const figures = {
    p50: times && middle(times),
    p95: times && quantile(sorted(times), 0.95),
    service: serviceMs,
    forks: forksMs,
  }
  return Object.fromEntries(
    Object.entries(figures).map(([name, ms]) => {
      return [`${side} ${name} ms`, ms === undefined ? '' : Number(ms.toFixed(1))]
    }),
  )
}

const sorted = (times: readonly number[]) => times.toSorted((a, b) => a - b)
const middle = (times: readonly number[]) => quantile(sorted(times), 0.5)
const ratioOf = (value: number, base: number) => Number((value / base).toFixed(2))
