/**
 * The quoter script: every path of up to three hops over the connector tokens, quoted by eth_call with QuoterV2 and
 * getAmountsOut. Hop by hop, so that paths share their beginnings and V2 and V3 mix; in batches of Uniswap's own
 * multicall, which bounds the gas of each quote.
 */
import {
  createPublicClient,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  http,
  type PublicClient,
} from 'viem'
import { ethereum } from '../../src/chains/ethereum.js'
import { type Address, zeroAddress } from '../../src/domain/primitives.js'
import {
  type Choice,
  describePath,
  gasValue,
  type Hop,
  maxHops,
  type Path,
  pathsTried,
  type Question,
} from './contract.js'
import { swapCall } from './swap-call.js'
import {
  type Codes,
  factories,
  factoryAbi,
  multicallAbi,
  quoterAbi,
  quoterV2,
  uniswapMulticall,
  v2RouterAbi,
  v2Routers,
  v3Fees,
} from './venues.js'

const gasPerCall = 2_000_000n
/** Beyond the hops: the transaction itself and the router. */
const gasPerTransaction = 60_000n
const gasPerV2Hop = 75_000n

interface Prefix {
  readonly path: Path
  readonly token: Address
  readonly amount: bigint
  readonly gas: bigint
}

interface Call {
  readonly target: Address
  readonly callData: Hex
}

/**
 * @param options.codes - given with each call: for a node that lacks the contracts.
 * @param options.callsPerBatch - 1 where state can be missing, which fails the whole call and not the quote alone.
 */
export function createQuoter(options: { readonly codes: Codes; readonly callsPerBatch: number }) {
  /** Both directions of every pool by pair: factories are asked once. */
  const known = new Map<string, readonly Hop[]>()

  return async function choose(url: string, question: Question): Promise<Choice> {
    const client = createPublicClient({ transport: http(url) })
    const call = (calls: readonly Call[]) => callAll(client, question.pin.number, options, calls)
    const { trade, gasPrice } = question
    const { tokenIn, tokenOut } = trade
    const hops = await findHops(call, known, [
      ...new Set([tokenIn, tokenOut, ...ethereum.connectorTokens]),
    ])
    const whole: Prefix[] = []
    let open: Prefix[] = [{ path: [], token: tokenIn, amount: trade.amountIn, gas: 0n }]
    for (let length = 1; length <= maxHops; length++) {
      const longer = await quote(call, extensions(open, hops, tokenIn, tokenOut, length))
      whole.push(...longer.filter(({ token }) => token === tokenOut))
      open = longer.filter(({ token }) => token !== tokenOut)
    }
    const net = ({ amount, gas }: Prefix) =>
      amount - gasValue(gas + gasPerTransaction, gasPrice, trade)
    const ranked = whole.sort((a, b) => (net(b) > net(a) ? 1 : -1)).map(({ path }) => path)
    const [best] = ranked
    if (!best) throw new Error('no path gives a quote')
    const paths = ranked.slice(0, pathsTried)
    return { tx: swapCall(best, trade), route: describePath(best), paths }
  }
}

type CallAll = (calls: readonly Call[]) => Promise<(Hex | null)[]>

async function callAll(
  client: PublicClient,
  blockNumber: bigint,
  { codes, callsPerBatch }: { readonly codes: Codes; readonly callsPerBatch: number },
  calls: readonly Call[],
): Promise<(Hex | null)[]> {
  const batches: Call[][] = []
  for (let at = 0; at < calls.length; at += callsPerBatch) {
    batches.push(calls.slice(at, at + callsPerBatch))
  }
  const stateOverride = [quoterV2, uniswapMulticall, v2Routers['sushiswap-v2']].flatMap(
    (address) => (codes[address] ? [{ address, code: codes[address] }] : []),
  )
  const results = await Promise.all(
    batches.map(async (batch) => {
      const data = encodeFunctionData({
        abi: multicallAbi,
        functionName: 'multicall',
        args: [batch.map((one) => ({ ...one, gasLimit: gasPerCall }))],
      })
      const gas = gasPerCall * BigInt(batch.length + 1)
      const call = { to: uniswapMulticall, data, gas, blockNumber, stateOverride }
      const reply = await client.call(call).catch((error: Error) => {
        if (callsPerBatch > 1) throw error
        return null
      })
      if (!reply) return [null]
      const [, found] = decodeFunctionResult({
        abi: multicallAbi,
        functionName: 'multicall',
        data: reply.data ?? '0x',
      })
      return found.map(({ success, returnData }) =>
        success && returnData !== '0x' ? returnData : null,
      )
    }),
  )
  return results.flat()
}

/** Every pool between the tokens, as two hops. */
async function findHops(
  call: CallAll,
  known: Map<string, readonly Hop[]>,
  tokens: readonly Address[],
): Promise<Hop[]> {
  const pairs = tokens.flatMap((a, index) => tokens.slice(index + 1).map((b) => [a, b] as const))
  const fresh = pairs.filter((pair) => !known.has(pair.join()))
  const asked = fresh.flatMap((pair) => [
    ...(['uniswap-v2', 'sushiswap-v2'] as const).map((venue) => ({ pair, venue, fee: 3000 })),
    ...v3Fees.map((fee) => ({ pair, venue: 'uniswap-v3' as const, fee })),
  ])
  const answers = await call(
    asked.map(({ pair, venue, fee }) => ({
      target: factories[venue],
      callData:
        venue === 'uniswap-v3'
          ? encodeFunctionData({ abi: factoryAbi, functionName: 'getPool', args: [...pair, fee] })
          : encodeFunctionData({ abi: factoryAbi, functionName: 'getPair', args: pair }),
    })),
  )
  for (const pair of fresh) known.set(pair.join(), [])
  asked.forEach(({ pair, venue, fee }, index) => {
    const answer = answers[index]
    if (!answer || BigInt(answer) === BigInt(zeroAddress)) return
    const [tokenIn, tokenOut] = pair
    const both = [
      { venue, fee, tokenIn, tokenOut },
      { venue, fee, tokenIn: tokenOut, tokenOut: tokenIn },
    ]
    known.set(pair.join(), [...(known.get(pair.join()) ?? []), ...both])
  })
  return pairs.flatMap((pair) => known.get(pair.join()) ?? [])
}

function extensions(
  open: readonly Prefix[],
  hops: readonly Hop[],
  tokenIn: Address,
  tokenOut: Address,
  length: number,
): { prefix: Prefix; hop: Hop }[] {
  return open.flatMap((prefix) => {
    const visited = new Set([tokenIn, ...prefix.path.map((hop) => hop.tokenOut)])
    const isSushi = prefix.path[0]?.venue === 'sushiswap-v2'
    return hops
      .filter((hop) => hop.tokenIn === prefix.token && !visited.has(hop.tokenOut))
      .filter((hop) => hop.tokenOut === tokenOut || length < maxHops)
      .filter(({ venue }) => !prefix.path.length || isSushi === (venue === 'sushiswap-v2'))
      .map((hop) => ({ prefix, hop }))
  })
}

async function quote(
  call: CallAll,
  asked: readonly { prefix: Prefix; hop: Hop }[],
): Promise<Prefix[]> {
  const answers = await call(
    asked.map(({ prefix, hop }) => {
      const { venue, tokenIn, tokenOut, fee } = hop
      const amountIn = prefix.amount
      if (venue === 'uniswap-v3') {
        const args = [{ tokenIn, tokenOut, amountIn, fee, limit: 0n }] as const
        const functionName = 'quoteExactInputSingle'
        const callData = encodeFunctionData({ abi: quoterAbi, functionName, args })
        return { target: quoterV2, callData }
      }
      const args = [amountIn, [tokenIn, tokenOut]] as const
      const callData = encodeFunctionData({ abi: v2RouterAbi, functionName: 'getAmountsOut', args })
      return { target: v2Routers[venue], callData }
    }),
  )
  return asked.flatMap(({ prefix, hop }, index) => {
    const data = answers[index]
    if (!data) return []
    const [amount, gas] = decode(hop, data)
    if (amount === 0n) return []
    const path = [...prefix.path, hop]
    return [{ path, token: hop.tokenOut, amount, gas: prefix.gas + gas }]
  })
}

function decode({ venue }: Hop, data: Hex): [amountOut: bigint, gas: bigint] {
  if (venue === 'uniswap-v3') {
    const functionName = 'quoteExactInputSingle'
    const [amountOut, , , gas] = decodeFunctionResult({ abi: quoterAbi, functionName, data })
    return [amountOut, gas]
  }
  const functionName = 'getAmountsOut'
  const amounts = decodeFunctionResult({ abi: v2RouterAbi, functionName, data })
  return [amounts.at(-1) ?? 0n, gasPerV2Hop]
}
