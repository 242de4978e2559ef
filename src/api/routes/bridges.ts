/** What bridges have delivered, and messaging pools: docs/reference/api.md#bridges. */
import { z } from 'zod'
import { bridgeNames } from '../../domain/bridges/names.js'
import { nativeToken } from '../../domain/primitives.js'
import { defineRoute, type Endpoint, endpoint, streamEndpoint } from '../contract.js'
import {
  BridgeCheckAnswer,
  BridgeClaimAnswer,
  BridgeStreamEndAnswer,
  BridgeTransferAnswer,
  BridgeTransfersAnswer,
  MessagingPools,
  toBridgeCheck,
  toBridgeClaim,
  toMessagingPools,
} from '../records/bridge-records.js'
import { Address, ChainId, described, oneOf, TransactionHash, withDefault } from '../schemas.js'
import { accountTransferStates, transferStates } from '../transfer-states.js'

const SourceHash = described(
  TransactionHash,
  'Hash of the source transaction.',
  '0x5d6c1b2a3f4e59687a8b9cad0e1f2a3b4c5d6e7f8091a2b3c4d5e6f708192a3b',
)

const checkErrors = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'NOT_FOUND',
  'CHAIN_NOT_READY',
  'UPSTREAM_UNAVAILABLE',
  'STATE_UNAVAILABLE',
  'FORK_UNAVAILABLE',
  'THREAD_LOST',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
] as const

const ofBridge = z.object({
  bridge: described(
    oneOf(bridgeNames),
    'Name of the bridge; layerzero is stargate and oft. Of those that are not installed NOT_FOUND says so.',
    'stargate',
  ),
})
const ofTransfer = z.object({
  chainId: described(withDefault(ChainId, 1, 1), 'EIP-155 id of the source chain.'),
  txHash: SourceHash,
})

const getBridgeCheck = defineRoute({
  method: 'get',
  path: '/api/v1/{bridge}/bridge/check',
  tag: 'Bridges',
  operationId: 'getBridgeCheck',
  summary: 'Where what a transaction has sent over a bridge is.',
  description:
    "By the receipt of the source and the state of the destination's newest pinned block, so that it works on nodes " +
    'without events, too; these only name the transaction that delivered. An order that failed on the destination, whose ' +
    'fallback receiver was paid, is failed. A transaction that sends nothing over this bridge is unknown. NOT_FOUND: no ' +
    'node knows the transaction, or the bridge is not installed here.',
  params: ofBridge,
  input: ofTransfer,
  response: BridgeCheckAnswer,
  isCalculation: true,
  // What it tells changes without the source's block: no cassette keeps it.
  readsListings: true,
  errors: checkErrors,
})

const trackTransfer = defineRoute({
  method: 'get',
  path: '/api/v1/{bridge}/bridge/events',
  tag: 'Bridges',
  operationId: 'trackTransfer',
  summary: 'Where what a transaction has sent over a bridge is, now and at every change.',
  description:
    'Server-sent events: `transfer` with the body of GET /{bridge}/bridge/check and when it was seen, first as it is and then ' +
    'whenever that changes, `error` with an error body where it could not be read, and a comment every 15 seconds. The last ' +
    'event is `end`: the transfer is delivered, failed or unknown, or the stream has lasted MAX_STREAM_SECONDS. The state is read at each new block of the destination, of the source ' +
    'while that is not mined, at most once a second, and each read counts as one request.',
  params: ofBridge,
  input: ofTransfer,
  response: BridgeTransferAnswer,
  eventName: 'transfer',
  otherEvents: { end: BridgeStreamEndAnswer },
  errors: [...checkErrors, 'TOO_MANY_STREAMS'],
})

const trackTransfers = defineRoute({
  method: 'get',
  path: '/api/v1/bridge/events',
  tag: 'Bridges',
  operationId: 'trackTransfers',
  summary: 'Where what an account has sent over bridges, or is sent, is, now and at every change.',
  description:
    'Server-sent events: `transfers` with the newest transactions that have sent over bridges from or to the account, and in ' +
    'which blocks they were looked for; then `transfer` for each as in GET /{bridge}/bridge/events, `error`, and `end` once ' +
    'all are delivered, failed or unknown, or after MAX_STREAM_SECONDS. Found are events of the contracts of the bridges on ' +
    'all configured chains, in the newest blocks of six hours, 10,000 at most; the 20 newest transactions are followed. After ' +
    'the first states one is read a second at most, at new blocks, and each read counts as one request. STATE_UNAVAILABLE: ' +
    'the nodes of no chain give events.',
  input: z.object({
    address: described(
      Address,
      'Account that sends or receives; also what its Executor and its wallet send.',
      '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266',
    ),
  }),
  response: BridgeTransfersAnswer,
  eventName: 'transfers',
  otherEvents: { transfer: BridgeTransferAnswer, end: BridgeStreamEndAnswer },
  errors: [
    ...checkErrors.filter((code) => code !== 'UNKNOWN_CHAIN' && code !== 'NOT_FOUND'),
    'TOO_MANY_STREAMS',
  ],
})

function definePools(name: 'layerzero' | 'stargate', operationId: string) {
  return defineRoute({
    method: 'get',
    path: `/api/v1/${name}/pool`,
    tag: 'Bridges',
    operationId,
    summary: 'Pools and OFTs that send a token over LayerZero, and where to.',
    description:
      "Pools of Stargate and OFTs, one entry for each and destination, by the chains' definitions; null where none takes the token on that chain.",
    input: z.object({
      chainId: withDefault(ChainId, 1, 1),
      token: described(Address, 'What the pool takes; native as its constant.', nativeToken),
      destinationChainId: described(ChainId.optional(), 'Only the pool of this chain.'),
      destinationToken: described(Address.optional(), 'Only pools that pay this token.'),
    }),
    response: MessagingPools,
    errors: ['INVALID_REQUEST', 'UNKNOWN_CHAIN'],
  })
}

/** What clients of the family ask of a bridge by name before they send through it. */
const contractOf = z.object({
  chainId: described(withDefault(ChainId, 1, 1), 'EIP-155 id of the source chain.'),
})

const getCcipRouter = defineRoute({
  method: 'get',
  path: '/api/v1/ccip/router',
  tag: 'Bridges',
  operationId: 'getCcipRouter',
  summary: 'The router of CCIP on a chain.',
  description: 'null: CCIP is not installed here.',
  input: contractOf,
  response: z
    .object({ router: described(Address, 'Contract that messages are sent through.') })
    .nullable()
    .meta({ id: 'CcipRouter' }),
  errors: ['INVALID_REQUEST', 'UNKNOWN_CHAIN'],
})

const getCctpTokenMessenger = defineRoute({
  method: 'get',
  path: '/api/v1/cctp/bridge/tokenmessengerv2',
  tag: 'Bridges',
  operationId: 'getCctpTokenMessenger',
  summary: 'The TokenMessengerV2 of CCTP on a chain.',
  description: "By the chain's definition; null where CCTP is not known on it.",
  input: contractOf,
  response: z
    .object({ address: described(Address, 'Contract that burns USDC for another chain.') })
    .nullable()
    .meta({ id: 'CctpTokenMessenger' }),
  errors: ['INVALID_REQUEST', 'UNKNOWN_CHAIN'],
})

const getCctpClaim = defineRoute({
  method: 'get',
  path: '/api/v1/cctp/bridge/claim',
  tag: 'Bridges',
  operationId: 'getCctpClaim',
  summary: 'Whether what a transaction sent over CCTP can be claimed, and by which transaction.',
  description:
    'Nobody delivers over CCTP unasked. Once its attesters have signed, anybody may send the transaction of this answer on ' +
    'the destination, where it is minted and its order runs. Attestations are read where CCTP_ATTESTATION_URL says, or of ' +
    'the own sandbox. Of several burns, the first that can be claimed. NOT_FOUND: no node knows the transaction.',
  input: contractOf.extend({ txHash: SourceHash }),
  response: BridgeClaimAnswer,
  isCalculation: true,
  // What it tells changes without the source's block: no cassette keeps it.
  readsListings: true,
  errors: checkErrors,
})

function poolEndpoint(name: 'layerzero' | 'stargate', operationId: string): Endpoint {
  return endpoint(definePools(name, operationId), ({ engine, input }) => {
    const pools = engine.messagingPools(input)
    return pools && toMessagingPools(pools)
  })
}

export const bridgeEndpoints: readonly Endpoint[] = [
  endpoint(getBridgeCheck, async ({ engine, params, input, context }) => {
    const { chainId, txHash: transactionHash } = input
    const { bridge } = params
    return toBridgeCheck(await engine.bridgeCheck({ bridge, chainId, transactionHash }, context))
  }),
  streamEndpoint(trackTransfer, async (args) => {
    const { chainId, txHash: transactionHash } = args.input
    return transferStates(args, { bridge: args.params.bridge, chainId, transactionHash })
  }),
  streamEndpoint(trackTransfers, (args) => accountTransferStates(args, args.input.address)),
  endpoint(getCcipRouter, () => null),
  endpoint(getCctpTokenMessenger, ({ engine, input }) => {
    const address = engine.cctpMessenger(input.chainId)
    return address && { address }
  }),
  endpoint(getCctpClaim, async ({ engine, input, context }) => {
    const { chainId, txHash: transactionHash } = input
    return toBridgeClaim(await engine.cctpClaim({ chainId, transactionHash }, context))
  }),
  poolEndpoint('layerzero', 'getLayerzeroPool'),
  poolEndpoint('stargate', 'getStargatePool'),
]
