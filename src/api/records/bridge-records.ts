/** Answers about bridges: deliveries and messaging pools. */
import { z } from 'zod'
import {
  type BridgeCheck,
  type BridgeClaim,
  type BridgeFill,
  type BridgeHop,
  type BridgeRetry,
  bridgeStatuses,
  type MessagingPool,
  withdrawalPhases,
} from '../../domain/bridges/check.js'
import type { FoundTransfers } from '../../domain/bridges/found.js'
import { defined } from '../../domain/defined.js'
import { Address, BlockNumber, ChainId, Wei } from './record-parts.js'

const Hash = z.string().regex(/^0x[0-9a-f]{64}$/)

const moment = {
  blockNumber: BlockNumber.meta({ description: 'Block of the transaction.' }),
  timestamp: z.int().meta({ description: 'Of that block, unix seconds.' }),
}

/** What is sent on the destination. */
const destinationCall = {
  to: Address.meta({ description: 'Contract on the destination.' }),
  data: z
    .string()
    .regex(/^0x[0-9a-f]*$/)
    .meta({ description: 'Calldata.' }),
  value: Wei.meta({ description: 'Wei to send along.' }),
}

const delivery = {
  destinationChainId: ChainId.optional().meta({
    description:
      'Absent while the source is not mined, for a chain that is not known here, and where hops have several.',
  }),
  destinationTxHash: Hash.optional().meta({
    description:
      'Transaction that delivered; absent where no node of the destination gives events.',
  }),
  status: z.enum(bridgeStatuses).meta({
    description:
      'pending: the source is not mined; inflight: sent, and not delivered at destinationBlockNumber; delivered: and its ' +
      'order, if any, ran; failed: it never will be, or its order failed and the fallback receiver was paid; unknown: ' +
      'nothing of this bridge, or the state does not tell.',
  }),
  error: z.string().optional().meta({ description: 'Why it failed, is held up or not known.' }),
  sourceEvent: z
    .object({
      bridge: z.string().meta({ description: 'Slug of the bridge.' }),
      id: z
        .string()
        .meta({ description: 'guid of LayerZero, number of the deposit, or hash of the message.' }),
      ...moment,
      token: Address.meta({ description: 'What is delivered, on the destination.' }),
      amount: Wei.meta({ description: 'To be delivered, in the smallest unit of token.' }),
      receiver: Address.meta({ description: 'Whom the bridge pays.' }),
      hasMessage: z
        .boolean()
        .meta({ description: 'Whether a message, such as an order, goes with it.' }),
    })
    .optional()
    .meta({ id: 'BridgeSourceEvent', description: 'What the source sent, by its receipt.' }),
  destinationEvent: z.object(moment).optional().meta({
    id: 'BridgeDestinationEvent',
    description: 'When it was delivered; absent as destinationTxHash is.',
  }),
  destinationBlockNumber: BlockNumber.optional().meta({
    description: 'Block of the destination whose state says so.',
  }),
  retry: z
    .object({
      ...destinationCall,
      gas: Wei.optional().meta({
        description: 'Gas limit of the transaction; absent: as a node estimates it.',
      }),
    })
    .meta({ id: 'BridgeRetry', description: 'A call that has a delivery carried out.' })
    .optional()
    .meta({
      description: 'What anybody may send on the destination; absent: nothing is to be tried.',
    }),
  withdrawal: z
    .object({
      phase: z.enum(withdrawalPhases).meta({
        description:
          'initiated: no output root of its block is proposed; provable: one is, and retry proves it; proven: the delays run; ' +
          'finalizable: they are over, and retry finalises it; finalized: the portal has called its target.',
      }),
      notBefore: z
        .int()
        .optional()
        .meta({ description: 'Unix seconds before which it cannot be finalised.' }),
      disputeGameIndex: z
        .string()
        .optional()
        .meta({ description: 'Of provable: the newest dispute game that covers its block.' }),
      provenBlockNumber: z
        .string()
        .optional()
        .meta({ description: 'Of provable: block of the source that this game is about.' }),
      outputRoot: Hash.optional().meta({ description: 'Of provable: what this game says of it.' }),
    })
    .meta({ id: 'BridgeWithdrawal', description: 'How far a withdrawal is.' })
    .optional()
    .meta({ description: 'Of withdrawals over the canonical bridge alone.' }),
  fill: z
    .object({
      ...destinationCall,
      token: Address.meta({ description: 'What the sender pays, and has allowed to to take.' }),
      amount: Wei.meta({ description: 'So much of it, in its smallest unit.' }),
      repaidTo: Address.meta({ description: 'Whom the bridge pays back, hours later.' }),
      repaidOnChainId: ChainId.meta({ description: 'Chain on which it does.' }),
    })
    .meta({
      id: 'BridgeFill',
      description: 'A call that delivers with the tokens of its sender, in place of a relayer.',
    })
    .optional()
    .meta({
      description:
        'For deposits that a relayer has to fill, where a fill would go through at destinationBlockNumber.',
    }),
}

const BridgeHopAnswer = z
  .object(delivery)
  .meta({ id: 'BridgeHop', description: 'One of several deliveries of a transaction.' })

export const BridgeCheckAnswer = z
  .object({
    sourceChainId: ChainId.meta({ description: 'EIP-155 id of the source chain.' }),
    sourceTxHash: Hash.meta({ description: 'Hash of the source transaction.' }),
    ...delivery,
    hops: z
      .array(BridgeHopAnswer)
      .optional()
      .meta({
        description:
          'Where the transaction sends several deliveries; status is then inflight while one of them is, then failed ' +
          'or unknown where one of them is.',
      }),
  })
  .meta({ id: 'BridgeCheck', description: 'Where what a transaction has sent over a bridge is.' })

export const BridgeTransferAnswer = BridgeCheckAnswer.extend({
  seenAt: z.int().meta({ description: 'When the service saw it so, unix seconds.' }),
}).meta({
  id: 'BridgeTransfer',
  description: 'Where what a transaction has sent over a bridge is, from that moment on.',
})

export type BridgeTransfer = z.output<typeof BridgeTransferAnswer>

export const BridgeTransfersAnswer = z
  .object({
    searched: z
      .array(
        z
          .object({
            chainId: ChainId.meta({ description: 'Source chain.' }),
            fromBlock: BlockNumber.meta({ description: 'First block whose events were read.' }),
            toBlock: BlockNumber.meta({ description: 'Last of them, the newest.' }),
          })
          .meta({ id: 'BridgeSearch', description: 'Blocks of a chain whose events were read.' }),
      )
      .meta({ description: 'Where transfers were looked for; what began earlier is not found.' }),
    unsearched: z
      .array(
        z
          .object({
            chainId: ChainId.meta({ description: 'Source chain.' }),
            error: z.string().meta({ description: 'Why nothing is known of it.' }),
          })
          .meta({ id: 'BridgeUnsearched', description: 'A chain whose events were not read.' }),
      )
      .meta({ description: 'Chains whose nodes give no events, or could not be asked.' }),
    count: z.int().meta({ description: 'Transactions found in these blocks.' }),
    transfers: z
      .array(
        z
          .object({
            sourceChainId: ChainId.meta({ description: 'EIP-155 id of the source chain.' }),
            sourceTxHash: Hash.meta({ description: 'Hash of the source transaction.' }),
            ...moment,
            bridges: z.array(z.string()).meta({ description: 'Slugs of the bridges.' }),
          })
          .meta({ id: 'BridgeSent', description: 'A transaction that has sent over bridges.' }),
      )
      .meta({ description: 'The newest of them, newest first: those that the stream follows.' }),
  })
  .meta({
    id: 'BridgeTransfers',
    description: 'What an account has sent over bridges, or is sent, in the newest blocks.',
  })

export type BridgeTransfers = z.output<typeof BridgeTransfersAnswer>

export const BridgeStreamEndAnswer = z
  .object({
    reason: z.enum(['settled', 'time']).meta({
      description:
        'settled: nothing changes any more; time: the stream has lasted as long as one may, and can be opened again.',
    }),
  })
  .meta({ id: 'BridgeStreamEnd', description: 'The last event of a stream of transfers.' })

export type BridgeStreamEnd = z.output<typeof BridgeStreamEndAnswer>

export const BridgeClaimAnswer = z
  .object({
    claimable: z.boolean().meta({ description: 'Whether a claim can be sent.' }),
    destinationChainId: ChainId.optional().meta({ description: 'Where it is claimed.' }),
    tx: z
      .object({
        chainId: ChainId,
        to: Address.meta({
          description: 'Our landing where an order runs, else the transmitter of CCTP.',
        }),
        data: z.string().meta({ description: 'Calldata.' }),
        value: Wei,
      })
      .optional()
      .meta({
        id: 'BridgeClaimTransaction',
        description: 'On the destination, of whoever pays for its gas; only where it can be sent.',
      }),
    reason: z.string().optional().meta({ description: 'Why not.' }),
  })
  .meta({ id: 'CctpClaim', description: 'Whether what was burnt can be minted.' })

const decimals = z.int().min(0).max(255)

export const MessagingPools = z
  .array(
    z
      .object({
        pool: Address.meta({ description: 'The pool on chainId.' }),
        chainId: ChainId,
        destinationChainId: ChainId.meta({ description: 'Chain that it sends to.' }),
        token: Address.meta({ description: 'What the pool takes.' }),
        decimals,
        destinationData: z
          .object({
            pool: Address.meta({ description: 'The pool on destinationChainId.' }),
            token: Address.meta({ description: 'What it pays there.' }),
            decimals,
          })
          .meta({ description: 'The other end.' }),
      })
      .meta({ id: 'MessagingPool', description: 'A pool and one that it sends to.' }),
  )
  .nullable()

function toRetry({ to, data, value, gas }: BridgeRetry) {
  return { to, data, value: value.toString(), ...defined({ gas: gas?.toString() }) }
}

function toRepaid({ token, amount, repaidTo, repaidOnChainId }: BridgeFill) {
  return { token, amount: amount.toString(), repaidTo, repaidOnChainId }
}

/** Fields of one delivery. */
function toHop(hop: BridgeHop) {
  const { source, destination } = hop
  return {
    ...defined({
      destinationChainId: hop.destinationChainId ?? undefined,
      destinationTxHash: destination?.transactionHash,
    }),
    status: hop.status,
    ...defined({ error: hop.error || undefined }),
    sourceEvent: {
      bridge: hop.bridge,
      id: hop.id,
      blockNumber: source.blockNumber,
      timestamp: source.timestamp,
      token: hop.token,
      amount: hop.amount.toString(),
      receiver: hop.receiver,
      hasMessage: hop.hasMessage,
    },
    ...defined({
      destinationEvent: destination
        ? { blockNumber: destination.blockNumber, timestamp: destination.timestamp }
        : undefined,
      destinationBlockNumber: hop.checkedAt ?? undefined,
      retry: hop.retry && toRetry(hop.retry),
      withdrawal: hop.withdrawal,
      fill: hop.fill && { ...toRetry(hop.fill), ...toRepaid(hop.fill) },
    }),
  }
}

export function toBridgeCheck(check: BridgeCheck): z.output<typeof BridgeCheckAnswer> {
  const [only, ...others] = check.hops
  const of = { sourceChainId: check.chainId, sourceTxHash: check.transactionHash }
  if (only && others.length === 0) return { ...of, ...toHop(only) }
  const ids = new Set(check.hops.map((hop) => hop.destinationChainId))
  const [id] = ids
  return {
    ...of,
    ...(ids.size === 1 && id && { destinationChainId: id }),
    status: check.status,
    ...defined({
      error: check.error || undefined,
      hops: check.hops.length > 0 ? check.hops.map(toHop) : undefined,
    }),
  }
}

export function toBridgeTransfers(found: FoundTransfers): BridgeTransfers {
  return {
    searched: found.searched.map((blocks) => ({ ...blocks })),
    unsearched: found.unsearched.map(({ chainId, message }) => ({ chainId, error: message })),
    count: found.count,
    transfers: found.transfers.map(({ chainId, transactionHash, bridges, ...when }) => ({
      sourceChainId: chainId,
      sourceTxHash: transactionHash,
      ...when,
      bridges: [...bridges],
    })),
  }
}

export function toMessagingPools(
  pools: readonly MessagingPool[],
): NonNullable<z.output<typeof MessagingPools>> {
  return pools.map(({ destination, chainId, destinationChainId, pool, token, decimals }) => ({
    pool,
    chainId,
    destinationChainId,
    token,
    decimals,
    destinationData: { ...destination },
  }))
}

export function toBridgeClaim(claim: BridgeClaim): z.input<typeof BridgeClaimAnswer> {
  const { claimable, destinationChainId, tx, reason } = claim
  return {
    claimable,
    ...defined({ destinationChainId, reason }),
    ...(tx && { tx: { ...tx, value: tx.value.toString() } }),
  }
}
