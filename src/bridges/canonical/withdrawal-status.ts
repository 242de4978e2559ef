/**
 * How far a withdrawal is, by the portal of the chain that is settled on: it is proven against a dispute game about an
 * output root, both delays run, and it is finalised by a transaction of anybody.
 */
import {
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  getAbiItem,
  keccak256,
  size,
  slice,
} from 'viem'
import type { BridgeWithdrawal } from '../../domain/bridges/check.js'
import { larger } from '../../domain/lists.js'
import { type Address, type Hex, toAddress } from '../../domain/primitives.js'
import type { ReadResult, StateReader } from '../../domain/state.js'
import type { Delivery, DeliveryStatus, LogReader } from '../bridge.js'
import { gameAbi, messengerAbi, withdrawalAbi } from './abi.js'
import { withdrawalHash, withdrawalOf } from './withdrawals.js'

/** Proofs of one withdrawal that are looked at, the newest: anybody may prove it again. */
const mostProofs = 8n
/** Newest games that are looked through for one that covers the block. */
const mostGames = 8n

const finalizedEvent = [getAbiItem({ abi: withdrawalAbi, name: 'WithdrawalFinalized' })] as const
const untold = { status: 'unknown', transactionHash: null } as const

export async function withdrawalStatus(
  delivery: Delivery,
  reader: StateReader,
  logs: LogReader,
): Promise<DeliveryStatus> {
  const portal = toAddress(String(delivery.details.portal))
  const hash = withdrawalHash(withdrawalOf(delivery))
  const asked = [
    call('finalizedWithdrawals', [hash]),
    call('numProofSubmitters', [hash]),
    call('proofMaturityDelaySeconds'),
    call('disputeGameFinalityDelaySeconds'),
  ]
  const reads = await reader.call(asked.map((data) => ({ to: portal, data })))
  const words = reads.map(wordOf)
  const [isFinalized = null, proofs = null, maturity = null, finality = null] = words
  if (isFinalized === null || proofs === null || maturity === null || finality === null) {
    return untold
  }
  if (isFinalized === 1n) return finalized(delivery, hash, reader, logs)
  const at = { delivery, portal, hash, reader }
  return proofs === 0n ? unproven(at) : proven(at, proofs, { maturity, finality })
}

interface At {
  readonly delivery: Delivery
  readonly portal: Address
  readonly hash: Hex
  readonly reader: StateReader
}

/** What the portal is asked. */
function call(functionName: string, args: readonly unknown[] = []): Hex {
  // The names are those of the ABI above, whose union of arguments no single call has.
  return encodeFunctionData({ abi: withdrawalAbi, functionName, args } as never)
}

async function proven(
  { delivery, portal, hash, reader }: At,
  proofs: bigint,
  { maturity, finality }: { readonly maturity: bigint; readonly finality: bigint },
): Promise<DeliveryStatus> {
  const first = proofs > mostProofs ? proofs - mostProofs : 0n
  const indices = Array.from({ length: Number(proofs - first) }, (_one, index) => {
    return first + BigInt(index)
  })
  const ask = (data: Hex) => ({ to: portal, data })
  const named = await reader.call(
    indices.map((index) => ask(call('proofSubmitters', [hash, index]))),
  )
  const submitters = named.flatMap((read) => (read.ok ? [toAddress(slice(read.value, 12))] : []))
  const [checks, records] = await Promise.all([
    reader.call(submitters.map((one) => ask(call('checkWithdrawal', [hash, one])))),
    reader.call(submitters.map((one) => ask(call('provenWithdrawals', [hash, one])))),
  ])
  const ready = submitters.find((_one, index) => checks[index]?.ok)
  if (ready) {
    const data = call('finalizeWithdrawalTransactionExternalProof', [withdrawalOf(delivery), ready])
    return {
      ...waiting({ phase: 'finalizable' }),
      error: 'The withdrawal is proven and its delays are over: anybody may finalise it.',
      retry: { to: portal, data, value: 0n },
    }
  }
  const [check, record] = [checks.at(-1), records.at(-1)]
  if (!record?.ok || check?.ok !== false) return untold
  const [game, provenAt] = decodeFunctionResult({
    abi: withdrawalAbi,
    functionName: 'provenWithdrawals',
    data: record.value,
  })
  const data = encodeFunctionData({ abi: gameAbi, functionName: 'resolvedAt' })
  const [resolved] = await reader.call([{ to: toAddress(game), data }])
  const resolvedAt = wordOf(resolved) ?? 0n
  const mature = provenAt + maturity
  // The delays have to be exceeded.
  const notBefore = Number(resolvedAt === 0n ? mature : larger(mature, resolvedAt + finality)) + 1
  const pending = resolvedAt === 0n ? ' Its dispute game is not resolved yet.' : ''
  return {
    ...waiting({ phase: 'proven', notBefore }),
    error: `The withdrawal is proven, and cannot be finalised before ${new Date(notBefore * 1_000).toISOString()}.${pending} The portal says: ${check.message}.`,
  }
}

async function unproven({ delivery, portal, reader }: At): Promise<DeliveryStatus> {
  const [factory, type] = await reader.call(
    ['disputeGameFactory', 'respectedGameType'].map((name) => ({ to: portal, data: call(name) })),
  )
  if (!factory?.ok || !type?.ok) return untold
  const to = toAddress(slice(factory.value, 12))
  const data = encodeFunctionData({ abi: gameAbi, functionName: 'gameCount' })
  const [count] = await reader.call([{ to, data }])
  if (!count?.ok) return untold
  const games = count.value === '0x' ? 0n : BigInt(count.value)
  const covering =
    games === 0n
      ? null
      : await gameCovering({ delivery, reader }, { to, type: BigInt(type.value), games })
  if (!covering) {
    return {
      ...waiting({ phase: 'initiated' }),
      error:
        'No output root of a block that has the withdrawal is proposed yet: it cannot be proven.',
    }
  }
  const { index, block, rootClaim } = covering
  return {
    ...waiting({
      phase: 'provable',
      disputeGameIndex: index.toString(),
      provenBlockNumber: block.toString(),
      outputRoot: rootClaim,
    }),
    error: `The withdrawal can be proven against dispute game ${index}, which is about block ${block} of the source: proveWithdrawalTransaction of ${portal} takes its output root and a proof of its slot there.`,
  }
}

/** The newest of the games that is about a block that has the withdrawal; null: none of those that are looked at is. */
async function gameCovering(
  { delivery, reader }: Pick<At, 'delivery' | 'reader'>,
  list: { readonly to: Address; readonly type: bigint; readonly games: bigint },
): Promise<{ readonly index: bigint; readonly block: bigint; readonly rootClaim: Hex } | null> {
  const args = [Number(list.type), list.games - 1n, mostGames] as const
  const data = encodeFunctionData({ abi: gameAbi, functionName: 'findLatestGames', args })
  const [found] = await reader.call([{ to: list.to, data }])
  if (!found?.ok || found.value === '0x') return null
  const games = decodeFunctionResult({
    abi: gameAbi,
    functionName: 'findLatestGames',
    data: found.value,
  })
  const sentIn = BigInt(delivery.sourceBlockNumber ?? 0)
  for (const { index, extraData, rootClaim } of games) {
    const block = size(extraData) >= 32 ? BigInt(slice(extraData, 0, 32)) : 0n
    if (block >= sentIn && sentIn > 0n) return { index, block, rootClaim }
  }
  return null
}

async function finalized(
  delivery: Delivery,
  hash: Hex,
  reader: StateReader,
  logs: LogReader,
): Promise<DeliveryStatus> {
  const { portal, messenger, isMessage } = delivery.details
  const topics = encodeEventTopics({ abi: finalizedEvent, args: { withdrawalHash: hash } }) as Hex[]
  const events = await logs({ address: toAddress(String(portal)), topics })
  const transactionHash = events?.[0]?.transactionHash ?? null
  const withdrawal: BridgeWithdrawal = { phase: 'finalized' }
  if (isMessage === 0) {
    const isPaid = events?.[0] ? BigInt(events[0].data) === 1n : null
    if (isPaid === null) return { status: 'unknown', transactionHash, withdrawal }
    return isPaid
      ? { status: 'delivered', transactionHash, withdrawal }
      : { status: 'failed', transactionHash, withdrawal, error: lost }
  }
  const { data } = withdrawalOf(delivery)
  const to = toAddress(String(messenger))
  const reads = await reader.call(
    (['successfulMessages', 'failedMessages'] as const).map((functionName) => ({
      to,
      data: encodeFunctionData({ abi: messengerAbi, functionName, args: [keccak256(data)] }),
    })),
  )
  const [isRelayed = null, isKept = null] = reads.map(wordOf)
  if (isRelayed === null || isKept === null)
    return { status: 'unknown', transactionHash, withdrawal }
  if (isRelayed === 1n) return { status: 'delivered', transactionHash, withdrawal }
  if (isKept !== 1n) return { status: 'failed', transactionHash, withdrawal, error: lost }
  const retry = { to, data, value: 0n }
  return { status: 'inflight', transactionHash: null, withdrawal, error: kept, retry }
}

/** Null: the contract says nothing. */
function wordOf(read: ReadResult | undefined): bigint | null {
  return read?.ok && read.value !== '0x' ? BigInt(read.value) : null
}

const lost = 'The portal has called the target, which failed: it is not called again.'
const kept =
  'It is finalised, and its call failed: what was withdrawn waits in the messenger. Anybody may have it tried again.'

function waiting(withdrawal: BridgeWithdrawal) {
  return { status: 'inflight', transactionHash: null, withdrawal } as const
}
