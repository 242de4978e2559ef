/** The transactions that are simulated: swaps of one to three hops over the sandbox's V2 and V3 pools. */
import { encodeFunctionData } from 'viem'
import { type Address, type BlockPin, type Hex, toAddress } from '../src/domain/primitives.js'
import type { SimulationRequest } from '../src/domain/state.js'
import { createFunding } from '../src/forks/tokens/funding.js'
import { sortTokens, v2PairAddress, v3PoolAddress } from '../src/sandbox/addresses.js'
import { v2PoolSpecs, v3PoolSpecs } from '../src/sandbox/market/market-specs.js'
import { sandboxToken } from '../src/sandbox/tokens.js'
import { compileMixedRouter, mixedRouterAbi } from './mixed-router.js'

/** Where the swap contract is placed. */
export const router: Address = '0x00000000000000000000000000000000be9c4001'
/** Gets everything; apart from the sender, who holds every input token on the baselines' forks. */
const receiver: Address = '0x00000000000000000000000000000000be9c4003'
/** Sends everything; holds nothing on the chain. */
export const sender: Address = '0x00000000000000000000000000000000be9c4002'

export const routerCode: Hex = compileMixedRouter()

export interface Candidate {
  readonly request: SimulationRequest
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly amountIn: bigint
}

interface Hop {
  readonly pool: Address
  readonly concentrated: boolean
  readonly zeroForOne: boolean
}

interface PoolRow {
  readonly pool: Address
  readonly concentrated: boolean
  readonly tokens: readonly [Address, Address]
}

/** Pools between tokens that behave, traps left out. */
function poolRows(): PoolRow[] {
  const plain = (symbols: readonly [string, string]) =>
    symbols.every((symbol) => {
      const { behaviour } = sandboxToken(symbol)
      return !['fee-on-transfer', 'honeypot', 'frozen', 'rebasing'].includes(behaviour)
    })
  const sorted = ([first, second]: readonly [string, string]) =>
    sortTokens(toAddress(sandboxToken(first).address), toAddress(sandboxToken(second).address))
  const pairs = v2PoolSpecs
    .filter(({ symbols, trapPriceBps }) => plain(symbols) && !trapPriceBps)
    .map(({ protocol, symbols }) => {
      const tokens = sorted(symbols)
      return { pool: v2PairAddress(protocol, ...tokens), concentrated: false, tokens }
    })
  const pools = v3PoolSpecs
    .filter(({ symbols, trapPriceBps }) => plain(symbols) && !trapPriceBps)
    .map(({ symbols, fee }) => {
      const tokens = sorted(symbols)
      return { pool: v3PoolAddress(...tokens, fee), concentrated: true, tokens }
    })
  return [...pairs, ...pools]
}

/** `count` candidates, a third each of one, two and three hops, spread over all pools; the same in every run. */
export async function makeCandidates(
  urls: readonly string[],
  pin: BlockPin,
  count: number,
): Promise<Candidate[]> {
  const rows = poolRows()
  const funding = createFunding()
  const candidates: Candidate[] = []
  for (let index = 0; candidates.length < count; index++) {
    const first = rows[(index * 7) % rows.length]
    if (!first) throw new Error('The sandbox has no pools.')
    const path = randomPath(rows, first, 1 + (index % 3), index)
    const amountIn = 10n ** BigInt(decimalsOf(path.tokenIn)) / 10n
    candidates.push(await toCandidate({ urls, pin }, funding, path, amountIn))
  }
  return candidates
}

interface Path {
  readonly tokenIn: Address
  readonly tokenOut: Address
  readonly hops: readonly Hop[]
}

function randomPath(rows: readonly PoolRow[], first: PoolRow, length: number, seed: number): Path {
  const zeroForOne = seed % 2 === 0
  const [tokenIn, start] = zeroForOne ? first.tokens : [first.tokens[1], first.tokens[0]]
  const hops: Hop[] = [{ pool: first.pool, concentrated: first.concentrated, zeroForOne }]
  let token = start
  for (let step = 1; step < length; step++) {
    const used = new Set(hops.map(({ pool }) => pool))
    const next = rows.filter(({ pool, tokens }) => tokens.includes(token) && !used.has(pool))
    const row = next[(seed + step) % next.length]
    if (!row) break
    const forward = row.tokens[0] === token
    hops.push({ pool: row.pool, concentrated: row.concentrated, zeroForOne: forward })
    token = forward ? row.tokens[1] : row.tokens[0]
  }
  return { tokenIn, tokenOut: token, hops }
}

function decimalsOf(address: Address): number {
  const row = v2PoolSpecs
    .flatMap(({ symbols }) => symbols)
    .map(sandboxToken)
    .find((token) => toAddress(token.address) === address)
  return row?.decimals ?? 18
}

async function toCandidate(
  context: { urls: readonly string[]; pin: BlockPin },
  funding: ReturnType<typeof createFunding>,
  { tokenIn, tokenOut, hops }: Path,
  amountIn: bigint,
): Promise<Candidate> {
  const overrides = await funding.fund(context, {
    token: tokenIn,
    owner: sender,
    amount: amountIn * 2n,
    allowance: { spender: router, amount: amountIn },
  })
  if (!overrides) throw new Error(`${tokenIn} cannot be funded.`)
  const data = encodeFunctionData({
    abi: mixedRouterAbi,
    functionName: 'swap',
    args: [tokenIn, receiver, amountIn, hops],
  })
  const measure = [{ token: tokenOut, owner: receiver }]
  const request = { from: sender, to: router, data, value: 0n, overrides, measure }
  return { request, tokenIn, tokenOut, amountIn }
}
