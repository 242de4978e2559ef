/** LayerZero, for Stargate and OFTs: verifies a packet, has it received, and composes, with the gas and value of its options. */
import {
  decodeEventLog,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  keccak256,
  parseAbi,
  size,
  slice,
  toEventSelector,
} from 'viem'
import { type Address, toAddress } from '../../domain/primitives.js'
import { layerZeroExecutor } from '../accounts.js'
import { messageLibrary } from '../bridges/bridge-addresses.js'
import { type ExecutorOptions, executorOptions } from './options.js'
import type { DeliveryState, PendingDelivery, RelayerMode } from './pending-delivery.js'
import type { Outcome, RelayedCall, RelayedChain, RelayedLog } from './relayed-chain.js'

const abi = parseAbi([
  'event PacketSent(bytes encodedPayload, bytes options, address sendLibrary)',
  'event ComposeSent(address from, address to, bytes32 guid, uint16 index, bytes message)',
  'struct Origin { uint32 srcEid; bytes32 sender; uint64 nonce; }',
  'function verify(Origin origin, address receiver, bytes32 payloadHash)',
  'function lzReceive(Origin origin, address receiver, bytes32 guid, bytes message, bytes extraData) payable',
  'function composeQueue(address from, address to, bytes32 guid, uint16 index) view returns (bytes32)',
  'function lazyInboundNonce(address receiver, uint32 srcEid, bytes32 sender) view returns (uint64)',
  'function inboundPayloadHash(address receiver, uint32 srcEid, bytes32 sender, uint64 nonce) view returns (bytes32)',
  'function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes message, bytes extraData) payable',
])

export const packetSent = toEventSelector(abi[0])

/** In the endpoint's queue, of a message that was carried out. */
const carriedOut = 1n
const verificationGas = 300_000n
const transferGas = 21_000n
/** Enough to begin a compose, too little for an order. */
const starvedGas = 120_000n

type Step = RelayedCall & {
  readonly isCompose?: true
  readonly isReceive?: true
  /** Whether somebody else has done it. */
  isDone?(chain: RelayedChain): Promise<boolean>
}

/** Bytes of a packet: version 1, nonce 8, source 4, sender 32, destination 4, receiver 32, guid 32, message. */
export function layerZeroDelivery(
  { topics, data, blockNumber }: RelayedLog,
  source: RelayedChain,
  chains: readonly RelayedChain[],
): PendingDelivery | null {
  const { args } = decodeEventLog({ abi, eventName: 'PacketSent', topics, data })
  const { encodedPayload: packet, options } = args
  const destination = chains.find(
    ({ bridges }) => bridges.eid === Number(slice(packet, 45, 49)) && bridges !== source.bridges,
  )
  if (!destination) return null
  const origin = {
    srcEid: Number(slice(packet, 9, 13)),
    sender: slice(packet, 13, 45),
    nonce: BigInt(slice(packet, 1, 9)),
  }
  const receiver = toAddress(slice(packet, 61, 81))
  const guid = slice(packet, 81, 113)
  const message: Hex = size(packet) > 113 ? slice(packet, 113) : '0x'
  const bought = executorOptions(options)
  const { endpoint } = destination.bridges

  const verify = encodeFunctionData({
    abi,
    functionName: 'verify',
    args: [origin, receiver, keccak256(slice(packet, 81))],
  })
  const receive = encodeFunctionData({
    abi,
    functionName: 'lzReceive',
    args: [origin, receiver, guid, message, '0x'],
  })
  /** What is still to be done, in this order, each in a block of its own. */
  let steps: Step[] = [
    { to: messageLibrary, data: verify, gas: verificationGas, isDone: isReceived },
    ...bought.drops.map(({ to, amount }) => ({
      to,
      data: '0x' as Hex,
      value: amount,
      gas: transferGas,
    })),
    {
      ...withIntrinsicGas({ to: endpoint, data: receive, ...bought.receive }),
      isReceive: true,
      isDone: isReceived,
    },
  ]
  let sent: Hex | null = null

  async function isReceived(chain: RelayedChain): Promise<boolean> {
    const path = [receiver, origin.srcEid, origin.sender] as const
    const [reached, payload] = await Promise.all([
      read(chain, encodeFunctionData({ abi, functionName: 'lazyInboundNonce', args: path })),
      read(
        chain,
        encodeFunctionData({
          abi,
          functionName: 'inboundPayloadHash',
          args: [...path, origin.nonce],
        }),
      ),
    ])
    return reached !== null && reached >= origin.nonce && payload === 0n
  }

  function after(outcome: Outcome): DeliveryState | null {
    if (outcome.status === 'pending') return 'waiting'
    sent = null
    if (outcome.status === 'reverted') return 'failed'
    const [, ...rest] = steps
    steps = [...rest, ...composesIn(outcome.logs, endpoint, bought)]
    return null
  }

  return {
    bridge: toAddress(slice(packet, 25, 45)) === source.bridges.tokenMessaging ? 'stargate' : 'oft',
    id: guid,
    source: source.chainId,
    destination: destination.chainId,
    blockNumber: Number(blockNumber),
    isFast: false,
    async attempt(chain, mode): Promise<DeliveryState> {
      if (sent) {
        const state = after(await chain.outcomeOf(sent))
        if (state) return state
      }
      for (;;) {
        const [step] = steps
        if (!step) return 'over'
        if (step.isCompose && mode === 'uncomposed') return 'waiting'
        if (step.isReceive && mode === 'unreceived') return 'waiting'
        if (await step.isDone?.(chain)) {
          steps = steps.slice(1)
          continue
        }
        const { hash, outcome } = await chain.transact(layerZeroExecutor, starved(step, mode))
        sent = hash
        const state = after(outcome)
        if (state) return state
      }
    },
  }
}

const composeSent = toEventSelector(abi[1])

/** Composes that the message has asked for and paid. */
function composesIn(
  logs: readonly RelayedLog[],
  endpoint: Address,
  bought: ExecutorOptions,
): Step[] {
  return logs
    .filter(({ address, topics: [id] }) => toAddress(address) === endpoint && id === composeSent)
    .flatMap((log) => {
      const found = decodeEventLog({
        abi,
        eventName: 'ComposeSent',
        topics: log.topics,
        data: log.data,
      })
      const { from, to, guid: of, index, message: composed } = found.args
      const paid = bought.composes.get(index)
      if (!paid || paid.gas === 0n) return []
      const call = encodeFunctionData({
        abi,
        functionName: 'lzCompose',
        args: [from, to, of, index, composed, '0x'],
      })
      const queued = encodeFunctionData({
        abi,
        functionName: 'composeQueue',
        args: [from, to, of, index],
      })
      return [
        {
          ...withIntrinsicGas({ to: endpoint, data: call, ...paid }),
          isCompose: true as const,
          isDone: async (chain: RelayedChain) => (await read(chain, queued)) === carriedOut,
        },
      ]
    })
}

async function read(chain: RelayedChain, data: Hex): Promise<bigint | null> {
  const to = chain.bridges.endpoint
  const word = await chain.call(layerZeroExecutor.address, { to, data, gas: verificationGas })
  return word === null ? null : BigInt(word)
}

function starved(
  { isCompose, isReceive: _, isDone: _done, ...call }: Step,
  mode: RelayerMode,
): RelayedCall {
  return isCompose && mode === 'starve' ? { ...call, gas: starvedGas } : call
}

/** The options buy gas for the call; a transaction costs more before that begins. */
function withIntrinsicGas<C extends RelayedCall>(call: C): C {
  const bytes = hexToBytes(call.data)
  const zeros = bytes.filter((byte) => byte === 0).length
  const intrinsic = 21_000n + BigInt(4 * zeros + 16 * (bytes.length - zeros))
  // EIP-7623: the least that a transaction with these data is charged.
  const floor = 21_000n + BigInt(10 * zeros + 40 * (bytes.length - zeros))
  const gas = call.gas + intrinsic
  return { ...call, gas: gas > floor ? gas : floor }
}
