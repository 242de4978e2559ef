/**
 * Carries out a returned transaction on an Anvil of its source, and what it has sent on one of its destination, by
 * nothing of the product: neither its ABIs nor its parsing nor its simulations.
 */
import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  hexToNumber,
  keccak256,
  numberToHex,
  pad,
  parseAbi,
  parseEventLogs,
  size,
  slice,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Address } from '../../../src/domain/primitives.js'
import { startAnvil, type TestAnvil } from '../anvil.js'
import { type AnswerTransaction, type Execution, judge } from '../execute.js'
import { unplacedLogs } from './unplaced-logs.js'

const abi = parseAbi([
  'event FundsDeposited(bytes32 inputToken, bytes32 outputToken, uint256 inputAmount, uint256 outputAmount, uint256 indexed destinationChainId, uint256 indexed depositId, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityDeadline, bytes32 indexed depositor, bytes32 recipient, bytes32 exclusiveRelayer, bytes message)',
  'struct V3RelayData { bytes32 depositor; bytes32 recipient; bytes32 exclusiveRelayer; bytes32 inputToken; bytes32 outputToken; uint256 inputAmount; uint256 outputAmount; uint256 originChainId; uint256 depositId; uint32 fillDeadline; uint32 exclusivityDeadline; bytes message; }',
  'function fillRelay(V3RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress)',
  'function fillRelayWithUpdatedDeposit(V3RelayData relayData, uint256 repaymentChainId, bytes32 repaymentAddress, uint256 updatedOutputAmount, bytes32 updatedRecipient, bytes updatedMessage, bytes depositorSignature)',
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
  'event TransactionDeposited(address indexed from, address indexed to, uint256 indexed version, bytes opaqueData)',
  'event MessageDelivered(uint256 indexed messageIndex, bytes32 indexed beforeInboxAcc, address inbox, uint8 kind, address sender, bytes32 messageDataHash, uint256 baseFeeL1, uint64 timestamp)',
  'event InboxMessageDelivered(uint256 indexed messageNum, bytes data)',
  'event PacketSent(bytes encodedPayload, bytes options, address sendLibrary)',
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function lzReceive(Origin origin, bytes32 guid, bytes message, address executor, bytes extraData) payable',
  'event ComposeSent(address from, address to, bytes32 guid, uint16 index, bytes message)',
  'function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes message, bytes extraData) payable',
  'event MessageSent(bytes message)',
  'function receiveMessage(bytes message, bytes attestation)',
])

/** What a depositor signs to have its deposit paid to another. */
const updateTypes = {
  UpdateDepositDetails: [
    { name: 'depositId', type: 'uint256' },
    { name: 'originChainId', type: 'uint256' },
    { name: 'updatedOutputAmount', type: 'uint256' },
    { name: 'updatedRecipient', type: 'bytes32' },
    { name: 'updatedMessage', type: 'bytes' },
  ],
} as const

const native: Address = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const relayer: Address = '0x00000000000000000000000000000000be1a4e40'

export interface Place {
  readonly chainId: number
  readonly nodeUrl: string
  readonly blockNumber: number
  readonly blockTimeSeconds: number
}

/** A balance, or an amount that a contract says: a word of its answer. */
export type Watched =
  | { readonly token: Address; readonly owner: Address }
  | { readonly call: { readonly to: Address; readonly data: Hex; readonly word?: number } }

/** A deposit over Across is filled to whom the holder of the key has signed it anew. */
interface Redirected {
  readonly key: Hex
  readonly recipient: Address
}

interface Mined {
  readonly ok: boolean
  readonly logs: Execution['logs']
}

export interface Delivered {
  readonly status: 'delivered' | 'reverted'
  /** What the receiver gained. */
  readonly gained: bigint
  /** Of the delivering transactions. */
  readonly logs: Execution['logs']
}

function startFork({ chainId, nodeUrl, blockNumber }: Place): Promise<TestAnvil> {
  return startAnvil([
    ...['--fork-url', nodeUrl, '--fork-block-number', String(blockNumber)],
    ...['--chain-id', String(chainId), '--no-mining', '--no-storage-caching', '--no-rate-limit'],
    ...['--order', 'fifo', '--code-size-limit', '40000'],
  ])
}

/** In the block after the pinned one. @param first - come before it in the block. */
export async function sendOnFork(
  place: Place,
  tx: AnswerTransaction,
  first: readonly AnswerTransaction[] = [],
  watch: Parameters<typeof judge>[1]['watch'] = [],
): Promise<Execution> {
  const anvil = await startFork(place)
  const stop = () => anvil.stop()
  const { nodeUrl, blockNumber, blockTimeSeconds } = place
  const args = { nodeUrl, blockNumber, blockTimeSeconds, tx, first, watch }
  return judge({ anvil, giveBack: stop, end: stop }, args)
}

export async function deliverOnFork(args: {
  readonly source: Place
  readonly destination: Place
  /** Of the source; what they send to other chains is left out. */
  readonly logs: Execution['logs']
  readonly watch: Watched
  readonly redirected?: Redirected
  /** Called before the delivery. */
  readonly prepare?: (anvil: TestAnvil) => Promise<void>
}): Promise<Delivered> {
  const { source, destination, watch, redirected } = args
  const anvil = await startFork(destination)
  try {
    await args.prepare?.(anvil)
    const head = await anvil.rpc<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])
    const time = hexToNumber(head.timestamp) + destination.blockTimeSeconds
    await anvil.rpc('evm_setNextBlockTimestamp', [numberToHex(time)])
    await anvil.rpc('anvil_setBlockTimestampInterval', [1])
    const before = await balanceOf(anvil, watch)
    const events = eventsOf(args.logs).filter((event) => leadsTo(event, destination.chainId))
    const done: Mined[] = []
    for (const event of events) {
      if (event.eventName === 'FundsDeposited') {
        done.push(await fill(anvil, event.args, source.chainId, redirected))
      } else if (event.eventName === 'PacketSent') {
        done.push(...(await receive(anvil, event.address, event.args)))
      } else if (event.eventName === 'TransactionDeposited') {
        done.push(await includeDeposit(anvil, event.args))
      } else if (event.eventName === 'InboxMessageDelivered') {
        const numbered = events.find(
          (one) =>
            one.eventName === 'MessageDelivered' && one.args.messageIndex === event.args.messageNum,
        )
        if (numbered?.eventName !== 'MessageDelivered') throw new Error('a ticket of nobody')
        done.push(await redeem(anvil, numbered.args.sender, event.args.data))
      } else if (event.eventName === 'MessageSent') {
        done.push(await mint(anvil, event.address, event.args.message))
      }
    }
    const gained = (await balanceOf(anvil, watch)) - before
    const status = done.every(({ ok }) => ok) ? 'delivered' : 'reverted'
    return { status, gained, logs: done.flatMap(({ logs }) => logs) }
  } finally {
    await anvil.stop()
  }
}

function eventsOf(logs: Execution['logs']) {
  return parseEventLogs({ abi, logs: unplacedLogs(logs) })
}

/** Numbers of chains at LayerZero and at CCTP. @see LayerZero's and Circle's lists of deployments */
const numbers: Readonly<Record<number, { readonly eid: number; readonly domain: number }>> = {
  1: { eid: 30_101, domain: 0 },
  42161: { eid: 30_110, domain: 3 },
  8453: { eid: 30_184, domain: 6 },
}

/** Whether it is delivered on the chain: of deposits over a canonical bridge, which name none, all are. */
function leadsTo(event: ReturnType<typeof eventsOf>[number], chainId: number): boolean {
  const { eid, domain } = numbers[chainId] ?? {}
  if (event.eventName === 'FundsDeposited') return event.args.destinationChainId === BigInt(chainId)
  if (event.eventName === 'PacketSent') {
    return eid === undefined || hexToNumber(slice(event.args.encodedPayload, 45, 49)) === eid
  }
  if (event.eventName === 'MessageSent') {
    return domain === undefined || hexToNumber(slice(event.args.message, 8, 12)) === domain
  }
  return true
}

async function balanceOf(anvil: TestAnvil, watch: Watched): Promise<bigint> {
  if ('call' in watch) {
    const { to, data, word = 0 } = watch.call
    const answer = await anvil.rpc<Hex>('eth_call', [{ to, data }, 'latest'])
    return hexToBigInt(slice(answer, 32 * word, 32 * word + 32))
  }
  const { token, owner } = watch
  if (token === native) return BigInt(await anvil.rpc<Hex>('eth_getBalance', [owner, 'latest']))
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [owner] })
  return BigInt(await anvil.rpc<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

async function mined(
  anvil: TestAnvil,
  tx: { from: Address; to: Address; data: Hex; gas?: Hex; value?: Hex },
): Promise<Mined> {
  await anvil.rpc('anvil_impersonateAccount', [tx.from])
  await anvil.rpc('anvil_setBalance', [tx.from, numberToHex(10n ** 21n)])
  const hash = await anvil.rpc<Hex>('eth_sendTransaction', [
    { gas: numberToHex(10_000_000n), ...tx },
  ])
  await anvil.rpc('evm_mine')
  const receipt = await anvil.rpc<{ status: Hex; logs: Execution['logs'] }>(
    'eth_getTransactionReceipt',
    [hash],
  )
  return { ok: receipt.status === '0x1', logs: receipt.logs }
}

type Deposit = Extract<ReturnType<typeof eventsOf>[number], { eventName: 'FundsDeposited' }>['args']

/** SpokePools, by chain. @see across-protocol/contracts, deployments */
const spokePools: Readonly<Record<number, Address>> = {
  1: '0x5c7bcd6e7de5423a257d81b442095a1a6ced35c5',
  42161: '0xe35e9842fceaca96570b734083f4a58e8f7c5f2a',
  8453: '0x09aea4b2242abc8bb4bb78d537a67a245a7bec64',
}

async function fill(
  anvil: TestAnvil,
  deposit: Deposit,
  originChainId: number,
  redirected?: Redirected,
): Promise<Mined> {
  const token = slice(deposit.outputToken, 12)
  const spokePool = spokePools[Number(deposit.destinationChainId)] ?? native
  await anvil.rpc('anvil_dealERC20', [relayer, token, numberToHex(deposit.outputAmount * 3n)])
  const approval = encodeFunctionData({
    abi,
    functionName: 'approve',
    args: [spokePool, deposit.outputAmount * 3n],
  })
  await mined(anvil, { from: relayer, to: token, data: approval })
  const relay = { ...deposit, originChainId: BigInt(originChainId) }
  const filled = [relay, relay.originChainId, pad(relayer)] as const
  const data = encodeFunctionData(
    redirected
      ? {
          abi,
          functionName: 'fillRelayWithUpdatedDeposit',
          args: [...filled, ...(await signedAnew(relay, redirected))],
        }
      : { abi, functionName: 'fillRelay', args: filled },
  )
  return mined(anvil, { from: relayer, to: spokePool, data })
}

async function signedAnew(
  { depositId, originChainId, outputAmount }: Deposit & { readonly originChainId: bigint },
  { key, recipient }: Redirected,
) {
  const updatedRecipient = pad(recipient)
  const message = { depositId, originChainId, updatedOutputAmount: outputAmount }
  const signature = await privateKeyToAccount(key).signTypedData({
    types: updateTypes,
    primaryType: 'UpdateDepositDetails',
    domain: { name: 'ACROSS-V2', version: '1.0.0', chainId: originChainId },
    message: { ...message, updatedRecipient, updatedMessage: '0x' },
  })
  return [outputAmount, updatedRecipient, '0x', signature] as const
}

/** The transaction that a rollup node derives of a deposit: of that sender, with what was minted, at no cost to it. */
async function includeDeposit(
  anvil: TestAnvil,
  { from, to, opaqueData }: { from: Address; to: Address; opaqueData: Hex },
): Promise<Mined> {
  const [mint, value] = [0, 32].map((at) => hexToBigInt(slice(opaqueData, at, at + 32)))
  const gas = hexToBigInt(slice(opaqueData, 64, 72))
  const data = slice(opaqueData, 73)
  if (mint !== value) throw new Error('a deposit that sends another amount than it mints')
  return mined(anvil, { from, to, data, gas: numberToHex(gas), value: numberToHex(value ?? 0n) })
}

/**
 * The first try of a ticket, of its sender with its value and gas. Words: to, value, deposit, submission cost, two receivers
 * of refunds, gas, its price, bytes of the data.
 */
async function redeem(anvil: TestAnvil, from: Address, packed: Hex): Promise<Mined> {
  const word = (place: number) => slice(packed, 32 * place, 32 * place + 32)
  const data = size(packed) > 288 ? slice(packed, 288) : '0x'
  const [value, gas] = [word(1), word(6)].map((hex) => numberToHex(hexToBigInt(hex)))
  if (value === undefined || gas === undefined) throw new Error('a ticket without words')
  return mined(anvil, { from, to: slice(word(0), 12), data, gas, value })
}

/** Of an attester who is nobody's. */
const attesterKey: Hex = `0x${'a7'.repeat(32)}`

/**
 * CCTP's attesters number a burn, say what finality they waited for, and keep at most what they may; then anybody, or whom
 * the burn names, has it minted. Its transmitter has the same address on all chains.
 */
async function mint(anvil: TestAnvil, transmitter: Address, sent: Hex): Promise<Mined> {
  const attested = concat([
    slice(sent, 0, 12),
    keccak256(sent),
    slice(sent, 44, 144),
    slice(sent, 140, 144),
    slice(sent, 148, 312),
    slice(sent, 280, 312),
    slice(sent, 344),
  ])
  const attester = privateKeyToAccount(attesterKey)
  const types = [{ type: 'address' }, { type: 'uint256' }] as const
  const words = [
    [pad('0x04'), pad('0x01')],
    [keccak256(encodeAbiParameters(types, [attester.address, 6n])), pad('0x01')],
  ] as const
  for (const [slot, word] of words) {
    await anvil.rpc('anvil_setStorageAt', [transmitter, slot, word])
  }
  const attestation = await attester.sign({ hash: keccak256(attested) })
  const data = encodeFunctionData({
    abi,
    functionName: 'receiveMessage',
    args: [attested, attestation],
  })
  const caller = slice(sent, 120, 140)
  const to = BigInt(caller) === 0n ? transmitter : caller
  return mined(anvil, { from: relayer, to, data })
}

/** Wei bought for the compose, by LayerZero's options: worker 1, type 3, its index, gas and value. */
function composeValue(options: Hex): bigint {
  let value = 0n
  for (let at = 2; at < size(options); at += 3 + hexToNumber(slice(options, at + 1, at + 3))) {
    const isCompose =
      slice(options, at, at + 1) === '0x01' && slice(options, at + 3, at + 4) === '0x03'
    const end = at + 3 + hexToNumber(slice(options, at + 1, at + 3))
    if (isCompose && end - at === 38) value += hexToBigInt(slice(options, at + 22, end))
  }
  return value
}

/** The endpoint calls the application, and anybody composes what that has queued, with the value that was paid for. */
async function receive(
  anvil: TestAnvil,
  endpoint: Address,
  { encodedPayload: packet, options }: { encodedPayload: Hex; options: Hex },
): Promise<Mined[]> {
  const [nonce, srcEid] = [hexToBigInt(slice(packet, 1, 9)), hexToNumber(slice(packet, 9, 13))]
  const origin = { srcEid, sender: slice(packet, 13, 45), nonce }
  const to = slice(packet, 61, 81)
  const guid = slice(packet, 81, 113)
  const message = slice(packet, 113)
  const data = encodeFunctionData({
    abi,
    functionName: 'lzReceive',
    args: [origin, guid, message, relayer, '0x'],
  })
  const received = await mined(anvil, { from: endpoint, to, data })
  const done = [received]
  const composed = eventsOf(received.logs).flatMap((log) =>
    log.eventName === 'ComposeSent' ? [log.args] : [],
  )
  for (const { from, to: landing, guid: id, index, message: inner } of composed) {
    const call = encodeFunctionData({
      abi,
      functionName: 'lzCompose',
      args: [from, landing, id, index, inner, '0x'],
    })
    const value = numberToHex(composeValue(options))
    done.push(await mined(anvil, { from: relayer, to: endpoint, data: call, value }))
  }
  return done
}
