/**
 * The books of all bridges over three chains, by their contracts' events and balances and by nothing of the product:
 * what was sent, what was paid out, and that no unit is missing or too much.
 */
import { gunzipSync } from 'node:zlib'
import {
  concat,
  type Hex,
  hexToBigInt,
  hexToBytes,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  parseEventLogs,
  slice,
  toEventSelector,
  toFunctionSelector,
} from 'viem'
import type { Address } from '../../../../src/domain/primitives.js'

const abi = parseAbi([
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'event FilledRelay(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 repaymentChainId, uint256 indexed originChainId, uint256 indexed depositId, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 exclusiveRelayer, bytes32 indexed relayer, bytes32 depositor, bytes32 recipient, bytes32 messageHash, (bytes32 updatedRecipient, bytes32 updatedMessageHash, uint256 updatedOutputAmount, uint8 fillType) relayExecutionInfo)',
  'event ExecutedRelayerRefundRoot(uint256 amountToReturn, uint256 indexed chainId, uint256[] refundAmounts, uint32 indexed rootBundleId, uint32 indexed leafId, address l2TokenAddress, address[] refundAddresses, bool deferredRefunds, address caller)',
  'event OFTSent(bytes32 indexed guid, uint32 dstEid, address indexed fromAddress, uint256 amountSentLD, uint256 amountReceivedLD)',
  'event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD)',
  'event MessageSent(bytes message)',
  'event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)',
  'event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)',
  'event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)',
  'event RelayedMessage(bytes32 indexed msgHash)',
])
const topics = abi.map((event) => toEventSelector(event))
const totalSupply = toFunctionSelector('totalSupply()')
const balanceOf = toFunctionSelector('balanceOf(address)')

/** Whole addresses of a chain's bridges, as its definition has them. */
export interface BridgePlaces {
  readonly chainId: number
  readonly spokePool: Address
  readonly acrossTokens: ReadonlyMap<string, Address>
  readonly pools: readonly {
    readonly symbol: string
    readonly pool: Address
    readonly token: Address
  }[]
  /** One that locks has what the others mint. */
  readonly ofts: readonly {
    readonly symbol: string
    readonly pool: Address
    readonly token: Address
    readonly isLocking: boolean
  }[]
  readonly minter: Address
  readonly usdc: Address
  readonly portal: Address | null
  /** Ours: nothing may be left at them. */
  readonly own: readonly Address[]
  readonly relayer: Address
}

export type Rpc = <T>(chainId: number, method: string, params: readonly unknown[]) => Promise<T>

const native: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Raw units by holder and token, keyed `holder token`, and what there is of a token that an OFT mints, keyed `supply token`. */
type Balances = ReadonlyMap<string, bigint>

export interface Opening {
  readonly head: number
  readonly balances: Balances
  /** Wei of all accounts of the chain. */
  readonly ether: bigint
}

interface RawLog {
  readonly address: Address
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
  readonly blockNumber: Hex
  readonly logIndex: Hex
  readonly transactionHash: Hex
}

function holdersOf(places: BridgePlaces): (readonly [holder: Address, token: Address])[] {
  const { spokePool, acrossTokens, pools, ofts, minter, usdc, portal, own, relayer } = places
  const tokens = [
    ...new Set([...acrossTokens.values(), ...pools.map(({ token }) => token), native]),
  ]
  return [
    ...[...acrossTokens.values()].flatMap((token) => [
      [spokePool, token] as const,
      [relayer, token] as const,
    ]),
    ...[...pools, ...ofts].map(({ pool, token }) => [pool, token] as const),
    [minter, usdc] as const,
    ...(portal ? [[portal, native] as const] : []),
    ...own.flatMap((holder) => tokens.map((token) => [holder, token] as const)),
  ]
}

async function balancesOf(rpc: Rpc, places: BridgePlaces): Promise<Balances> {
  const entries: [string, bigint][] = []
  for (const [holder, token] of holdersOf(places)) {
    const data = `${balanceOf}${pad(holder).slice(2)}`
    const word =
      token === native
        ? await rpc<Hex>(places.chainId, 'eth_getBalance', [holder, 'latest'])
        : await rpc<Hex>(places.chainId, 'eth_call', [{ to: token, data }, 'latest'])
    entries.push([`${holder} ${token}`, BigInt(word)])
  }
  for (const { token } of places.ofts.filter(({ isLocking }) => !isLocking)) {
    const call = [{ to: token, data: totalSupply }, 'latest']
    entries.push([`supply ${token}`, BigInt(await rpc<Hex>(places.chainId, 'eth_call', call))])
  }
  return new Map(entries)
}

/** Of all accounts there are. */
async function etherOf(rpc: Rpc, chainId: number): Promise<bigint> {
  const dump = await rpc<Hex>(chainId, 'anvil_dumpState', [])
  const { accounts } = JSON.parse(gunzipSync(hexToBytes(dump)).toString()) as {
    accounts: Record<string, { balance: Hex }>
  }
  return Object.values(accounts).reduce((total, { balance }) => total + BigInt(balance), 0n)
}

export async function opened(rpc: Rpc, places: BridgePlaces): Promise<Opening> {
  const head = Number(await rpc<Hex>(places.chainId, 'eth_blockNumber', []))
  return {
    head,
    balances: await balancesOf(rpc, places),
    ether: await etherOf(rpc, places.chainId),
  }
}

/** One movement over a bridge as one chain's events say it. */
export interface Movement {
  readonly bridge: 'across' | 'stargate' | 'cctp' | 'canonical' | 'oft'
  readonly kind: 'sent' | 'paid' | 'refunded'
  readonly chainId: number
  /** What both sides of one transfer have in common. */
  readonly id: string
  readonly symbol: string
  /** Sent: what was taken; paid: what went out. */
  readonly amount: bigint
  /** Sent: what has to be paid out at most. Paid: what the bridge kept besides. */
  readonly other: bigint
  readonly transactionHash: Hex
  /** Paid over Across: by the relayer. */
  readonly isRelayers?: boolean
}

export interface ChainBooks {
  readonly places: BridgePlaces
  readonly movements: readonly Movement[]
  /** Since the opening. */
  readonly deltas: Balances
  /** Wei that came to be on the chain since the opening, gas left out: what was deposited for it, and no more. */
  readonly unexplainedEther: bigint
}

/** @param opening - of the chain, before the first transfer. */
export async function closed(
  rpc: Rpc,
  places: BridgePlaces,
  opening: Opening,
): Promise<ChainBooks> {
  const { chainId } = places
  const fromBlock = numberToHex(opening.head + 1)
  const logs = await rpc<RawLog[]>(chainId, 'eth_getLogs', [
    { fromBlock, toBlock: 'latest', topics: [topics] },
  ])
  const now = await balancesOf(rpc, places)
  const deltas = new Map(
    [...now].map(([key, amount]) => [key, amount - (opening.balances.get(key) ?? 0n)]),
  )
  const movements = movementsIn(logs, places)
  const { burnt, tips } = await fees(rpc, chainId, opening.head)
  const ether = (await etherOf(rpc, chainId)) - opening.ether
  return { places, movements, deltas, unexplainedEther: ether - tips + burnt }
}

/** Wei burnt as base fees, and tips of deposits, whose senders the sandbox gives back what they paid. */
async function fees(rpc: Rpc, chainId: number, after: number) {
  const head = Number(await rpc<Hex>(chainId, 'eth_blockNumber', []))
  let [burnt, tips] = [0n, 0n]
  for (let number = after + 1; number <= head; number++) {
    const block = await rpc<{ baseFeePerGas: Hex; gasUsed: Hex }>(chainId, 'eth_getBlockByNumber', [
      numberToHex(number),
      false,
    ])
    if (BigInt(block.gasUsed) === 0n) continue
    const receipts = await rpc<{ from: Address; gasUsed: Hex; effectiveGasPrice: Hex }[]>(
      chainId,
      'eth_getBlockReceipts',
      [numberToHex(number)],
    )
    for (const { from, gasUsed, effectiveGasPrice } of receipts) {
      const gas = BigInt(gasUsed)
      if (from.toLowerCase() === aliasedMessenger) {
        tips += gas * (BigInt(effectiveGasPrice) - BigInt(block.baseFeePerGas))
      } else burnt += gas * BigInt(block.baseFeePerGas)
    }
  }
  return { burnt, tips }
}

/** Of Base's messenger on Ethereum, as its deposits come. */
const messengerThere = 0x866e82a600a1414e583f7f13623f1ac5d58b0afan
const aliasedMessenger: Address = numberToHex(
  (messengerThere + 0x1111000000000000000000000000000000001111n) % 2n ** 160n,
  { size: 20 },
)

function movementsIn(raw: readonly RawLog[], places: BridgePlaces): Movement[] {
  const { chainId, spokePool, pools, ofts, acrossTokens, relayer } = places
  const logs = parseEventLogs({ abi, logs: raw as never })
  const symbolOf = (token: Hex) => {
    const found = [...acrossTokens].find(([, address]) => address === slice(token, 12))
    return found?.[0] ?? 'another token'
  }
  const mints: { amount: bigint; fee: bigint }[] = []
  return logs.flatMap((log): Movement[] => {
    const { transactionHash } = log as unknown as RawLog
    const address = log.address.toLowerCase()
    const of = { chainId, transactionHash }
    const pool = [...pools, ...ofts].find((one) => one.pool === address)
    const messaging = ofts.some((one) => one.pool === address) ? 'oft' : 'stargate'
    switch (log.eventName) {
      case 'FundsDeposited': {
        if (address !== spokePool) return []
        const { inputToken, inputAmount: amount, outputAmount: other, message } = log.args
        const messageHash = message === '0x' ? pad('0x') : keccak256(message)
        const id = depositId(chainId, { ...log.args, messageHash })
        const named = { ...of, id, symbol: symbolOf(inputToken) }
        return [{ bridge: 'across', kind: 'sent', ...named, amount, other }]
      }
      case 'FilledRelay': {
        const { originChainId, outputToken, outputAmount: amount } = log.args
        const isRelayers = log.args.relayer === pad(relayer)
        const id = depositId(Number(originChainId), log.args)
        const named = { ...of, id, symbol: symbolOf(outputToken), isRelayers }
        return [{ bridge: 'across', kind: 'paid', ...named, amount, other: 0n }]
      }
      case 'ExecutedRelayerRefundRoot': {
        const { refundAmounts, l2TokenAddress, rootBundleId } = log.args
        const amount = refundAmounts.reduce((total, one) => total + one, 0n)
        const symbol = symbolOf(pad(l2TokenAddress.toLowerCase() as Hex))
        const named = { ...of, id: `bundle ${rootBundleId}`, symbol }
        return [{ bridge: 'across', kind: 'refunded', ...named, amount, other: 0n }]
      }
      case 'OFTSent': {
        if (!pool) return []
        const { guid: id, amountSentLD: amount, amountReceivedLD: other } = log.args
        return [{ bridge: messaging, kind: 'sent', ...of, id, symbol: pool.symbol, amount, other }]
      }
      case 'OFTReceived': {
        if (!pool) return []
        const { guid: id, amountReceivedLD: amount } = log.args
        const named = { ...of, id, symbol: pool.symbol }
        return [{ bridge: messaging, kind: 'paid', ...named, amount, other: 0n }]
      }
      case 'MessageSent': {
        const { message } = log.args
        const [amount, maxFee] = [
          hexToBigInt(slice(message, 216, 248)),
          hexToBigInt(slice(message, 280, 312)),
        ]
        const id = burnId(slice(message, 4, 8), slice(message, 148))
        return [
          {
            bridge: 'cctp',
            kind: 'sent',
            ...of,
            id,
            symbol: 'USDC',
            amount,
            other: amount - maxFee,
          },
        ]
      }
      case 'MintAndWithdraw': {
        mints.push({ amount: log.args.amount, fee: log.args.feeCollected })
        return []
      }
      case 'MessageReceived': {
        const minted = mints.pop()
        if (!minted) return []
        const { sourceDomain, messageBody } = log.args
        const id = burnId(numberToHex(sourceDomain, { size: 4 }), messageBody)
        const { amount, fee: other } = minted
        return [{ bridge: 'cctp', kind: 'paid', ...of, id, symbol: 'USDC', amount, other }]
      }
      case 'TransactionDeposited': {
        const { opaqueData } = log.args
        const amount = hexToBigInt(slice(opaqueData, 32, 64))
        const id = keccak256(slice(opaqueData, 73))
        return [
          { bridge: 'canonical', kind: 'sent', ...of, id, symbol: 'ETH', amount, other: amount },
        ]
      }
      default: {
        // Its value stands in the deposit.
        const named = { ...of, id: log.args.msgHash, symbol: 'ETH' }
        return [{ bridge: 'canonical', kind: 'paid', ...named, amount: 0n, other: 0n }]
      }
    }
  })
}

/** Its number is given again where its chain was put back: with what both sides say besides. */
function depositId(
  originChainId: number,
  args: {
    readonly depositId: bigint
    readonly inputAmount: bigint
    readonly outputAmount: bigint
    readonly fillDeadline: number
    readonly recipient: Hex
    readonly messageHash: Hex
  },
): string {
  const { inputAmount, outputAmount, fillDeadline, recipient, messageHash } = args
  const parts = [originChainId, args.depositId, inputAmount, outputAmount, fillDeadline]
  return [...parts, recipient, messageHash].join(' ')
}

/** By all that both sides say of a burn; those that say the same are counted. */
function burnId(source: Hex, body: Hex): string {
  return keccak256(concat([source, slice(body, 0, 164), slice(body, 196)]))
}
