/** One transfer from chain to chain: proposed and simulated by the product, mined and relayed for real. */
import {
  encodeAbiParameters,
  encodeFunctionData,
  isAddressEqual,
  keccak256,
  numberToHex,
  parseAbi,
  parseAbiParameters,
} from 'viem'
import {
  type BridgeAdapter,
  type Delivery,
  type DeliverySimulation,
  type DeliveryTerms,
  isRefusal,
  type Lane,
  type LaneQuote,
  type LogReader,
} from '../../../src/bridges/bridge.js'
import { trackedDeliveries } from '../../../src/bridges/status.js'
import type { Order } from '../../../src/domain/order.js'
import { type Address, type Hex, isNative, nativeToken } from '../../../src/domain/primitives.js'
import type { SimulationLog, SimulationResult, StateOverrides } from '../../../src/domain/state.js'
import { buildTransaction, runnerAddress } from '../../../src/executor/compile.js'
import { contractAddress } from '../../../src/executor/deployments.js'
import { executorErrorsAbi } from '../../../src/executor/errors.js'
import { ForkReader } from '../../../src/forks/reader.js'
import { simulate } from '../../../src/forks/simulate.js'
import { readPin } from '../pin.js'
import type { Mined } from './chain.js'
import type { Connected } from './two-chains.js'

const abi = parseAbi(['function approve(address spender, uint256 amount)'])
export const refundReceiver: Address = '0x00000000000000000000000000000000000dead1'

export function laneOf(
  adapter: BridgeAdapter,
  [source, destination]: readonly [Connected, Connected],
  symbol: string,
): Lane {
  const lanes = adapter.lanes(source.definition, destination.definition)
  const lane = lanes.find((one) => one.symbol === symbol)
  if (!lane) throw new Error(`no lane for ${symbol}`)
  return lane
}

/** What the adapter says of the amount at the source's newest block. */
export async function quoted(
  adapter: BridgeAdapter,
  source: Connected,
  lane: Lane,
  terms: DeliveryTerms,
  amountIn: bigint,
) {
  const { url } = source.anvil
  const reader = new ForkReader({ pin: await readPin(url), archiveUrl: url, forkUrls: [url] })
  const sender = runnerAddress('router', source.owner)
  const chain = source.definition
  const priceOf = async () => null
  return adapter.quote({ lane, terms, amountIn, sender, chain, reader, priceOf })
}

export interface SentTransfer {
  readonly quote: LaneQuote
  /** Equal by simulation and by receipt. */
  readonly delivery: Delivery
  readonly mined: Mined
}

/** The source's half. Throws where a step of it fails, or where simulation and receipt have other deliveries. */
export async function sendTransfer(args: {
  readonly adapter: BridgeAdapter
  readonly chains: readonly [Connected, Connected]
  readonly lane: Lane
  readonly terms: DeliveryTerms
  readonly amountIn: bigint
  /** The amount is known on chain only. */
  readonly byReference?: boolean
  /** Wei above the quoted fee. */
  readonly surplus?: bigint
  /** Raw units that are asked for above what the quote promises. */
  readonly more?: bigint
}): Promise<SentTransfer> {
  const { adapter, chains, lane, terms, amountIn, byReference = false } = args
  const { surplus = 0n, more = 0n } = args
  const [source] = chains
  const quote = await quoted(adapter, source, lane, terms, amountIn)
  if (isRefusal(quote)) throw new Error(quote.message)
  const nativeFee = quote.nativeFee + surplus
  const isValue = isNative(lane.tokenIn)
  const steps = adapter.encode({
    lane,
    terms,
    quote,
    nativeFee,
    refundReceiver,
    firstStep: 0,
    sender: source.owner,
    amountIn: byReference ? { ref: 'balance', token: lane.tokenIn } : amountIn,
    quotedAmountIn: amountIn,
    minimumDelivered: quote.delivered + more,
    helpers: { Values: contractAddress('Values') },
  })
  const fee = isValue || nativeFee === 0n ? [] : [{ token: nativeToken, amount: nativeFee }]
  const order: Order = {
    inputs: [{ token: lane.tokenIn, amount: amountIn + (isValue ? nativeFee : 0n) }, ...fee],
    feeReceiver: refundReceiver,
    steps,
    outputs: [],
    receiver: source.owner,
    refundReceiver,
    sweep: [],
    deadline: 2n ** 40n,
    accountId: '0x',
    referralCode: '0x',
  }
  const accountId: Hex = `0x${'ac'.repeat(32)}`
  const full = { ...order, accountId, referralCode: `0x${'4d'.repeat(16)}` as const }
  const tx = buildTransaction({ strategy: 'router', from: source.owner, order: full })
  if (!isValue) {
    const allowed = [contractAddress('Router'), amountIn] as const
    await source.set(
      lane.tokenIn,
      encodeFunctionData({ abi, functionName: 'approve', args: allowed }),
    )
  }
  const pin = await readPin(source.anvil.url)
  const fork = { urls: [source.anvil.url], pin, chain: source.definition }
  const [simulated] = await simulate(fork, [{ ...tx, overrides: {} }], {
    errorsAbi: executorErrorsAbi,
  })
  if (simulated?.status !== 'success') throw new Error(JSON.stringify(simulated, text))
  const next = pin.timestamp + BigInt(source.definition.blockTimeSeconds)
  await source.anvil.rpc('evm_setNextBlockTimestamp', [numberToHex(next)])
  const mined = await source.sent({ ...tx, value: numberToHex(tx.value) })
  if (!mined.ok) throw new Error('the source transaction failed')
  const known = chains.map(({ definition }) => definition)
  const tracked = trackedDeliveries(mined.logs, source.definition, { known })
  const ofSource = [source.definition, known] as const
  const [delivery, ...others] = adapter.deliveriesIn(mined.logs, ...ofSource)
  const expected = adapter.deliveriesIn(simulated.logs, ...ofSource)
  if (!delivery || others.length > 0) throw new Error(`${others.length + 1} deliveries, not one`)
  const found = tracked.map((one) => ({ ...one.delivery, at: one.destination?.id }))
  const whole = [{ ...delivery, at: chains[1].chainId }]
  const searched = adapter.deliveriesIn(foundBySearch(adapter, source, mined.logs), ...ofSource)
  const told = [expected, searched].map((all) => {
    return all.map((one) => ({ ...one, at: chains[1].chainId }))
  })
  for (const same of [...told, found]) {
    if (JSON.stringify(same, text) !== JSON.stringify(whole, text)) {
      throw new Error('simulation and receipt have other deliveries')
    }
  }
  return { quote, delivery, mined }
}

/** The logs that whoever looks for transfers by their events reads. */
function foundBySearch(
  adapter: BridgeAdapter,
  { definition }: Connected,
  logs: readonly SimulationLog[],
): SimulationLog[] {
  const filters = adapter.sentEvents(definition)
  return logs.filter(({ address, topics }) =>
    filters.some(
      (filter) =>
        [filter.address].flat().some((one) => isAddressEqual(one, address)) &&
        filter.topics[0] === topics[0],
    ),
  )
}

function text(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value
}

/** What the order's token would do to the receiver's balance at the destination's newest block. */
export async function foresee(
  adapter: BridgeAdapter,
  destination: Connected,
  delivery: Delivery,
  args: { readonly gas: bigint; readonly token: Address; readonly owner: Address },
): Promise<SimulationResult> {
  const { url } = destination.anvil
  const pin = await readPin(url)
  const { funds, ...call } = adapter.simulation(delivery, destination.definition, pin, args.gas)
  const overrides = { ...call.overrides, ...(funds && fundedBy(funds)) }
  const { token, owner } = args
  const fork = { urls: [url], pin, chain: destination.definition }
  const [result] = await simulate(fork, [{ ...call, overrides, measure: [{ token, owner }] }])
  if (!result) throw new Error('no result')
  return result
}

/** Balances and allowances are OpenZeppelin's first two mappings in the tokens here. */
function fundedBy(funds: NonNullable<DeliverySimulation['funds']>): StateOverrides {
  const { token, owner, spender, amount } = funds
  const slot = (key: Hex, base: Hex | bigint) =>
    keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [key, BigInt(base)]))
  const amountWord = numberToHex(amount, { size: 32 })
  const stateDiff = {
    [slot(owner, 0n)]: amountWord,
    [slot(spender, slot(owner, 1n))]: amountWord,
  }
  return { [token]: { stateDiff } }
}

/** @param logs - false: of a node that serves none; a number: of one whose logs end there. */
export async function statusAt(
  adapter: BridgeAdapter,
  destination: Connected,
  delivery: Delivery,
  { logs = true }: { readonly logs?: boolean | bigint } = {},
) {
  const { url, rpc } = destination.anvil
  const reader = new ForkReader({ pin: await readPin(url), archiveUrl: url, forkUrls: [url] })
  const read: LogReader = async ({ address, topics, blockNumber }) => {
    if (!logs) return null
    const at = blockNumber === undefined ? null : numberToHex(blockNumber)
    const blocks = { fromBlock: at ?? '0x0', toBlock: at ?? 'latest' }
    const found = await rpc<(SimulationLog & { transactionHash: Hex; blockNumber: Hex })[]>(
      'eth_getLogs',
      [{ address, topics, ...blocks }],
    )
    const whole = found.map((log) => ({ ...log, blockNumber: BigInt(log.blockNumber) }))
    return typeof logs === 'bigint' ? whole.filter((log) => log.blockNumber <= logs) : whole
  }
  return adapter.status(delivery, destination.definition, reader, read, async () => null)
}
