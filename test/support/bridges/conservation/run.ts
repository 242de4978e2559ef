/**
 * Thousands of transfers between the sandbox's chains under a relayer that delays, reorders, drops, starves and repeats, and
 * chains that put back blocks. Then each is asked for over HTTP, what waits is freed by the transaction that the answer
 * names, what expired is paid back as Across's settlement does it, and the books are closed. Seeded.
 */

import pLimit from 'p-limit'
import { encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { cctpChain } from '../../../../src/bridges/cctp/chain.js'
import { oftsOn } from '../../../../src/bridges/oft/tokens.js'
import { stargatePools } from '../../../../src/bridges/stargate/pools.js'
import type { Address } from '../../../../src/domain/primitives.js'
import {
  cctpLanding,
  composeLanding,
  contractAddress,
} from '../../../../src/executor/deployments.js'
import { acrossRelayer, sandboxAccount } from '../../../../src/sandbox/accounts.js'
import { bridgeAddresses } from '../../../../src/sandbox/bridges/bridge-addresses.js'
import { isLocking } from '../../../../src/sandbox/minted-tokens.js'
import { createSeededRandom, pick } from '../../../../src/sandbox/seeded-random.js'
import { startService, type TestService } from '../../service/service.js'
import { caughtUp } from '../caught-up.js'
import { taker } from '../random-routes.js'
import { acrossToken, chainIds, definitionOf, startRelayedSandboxes } from '../relayed-sandboxes.js'
import { type Account, accountOf } from './account.js'
import { type BridgePlaces, closed, opened, type Rpc } from './books.js'
import { alice, askedForms, type Form } from './forms.js'
import { refundDeposits } from './refunds.js'

export const ends = [
  'delivered',
  'fallback paid',
  'freed',
  'filled by its sender',
  'refunded',
] as const
export type End = (typeof ends)[number]

export interface Transfer extends Pick<Form, 'bridge' | 'from' | 'to' | 'mode'> {
  readonly hash: Hex
  /** Undefined: not told yet. */
  end?: End | 'unmade'
}

export interface Conserved {
  readonly transfers: readonly Transfer[]
  readonly account: Account
  readonly problems: readonly string[]
  readonly relayer: Readonly<Record<string, number>>
  readonly reorgs: number
  readonly forms: number
}

const stranger = sandboxAccount('dave')
const bystander = sandboxAccount('carol')
const gas = numberToHex(8_000_000n)
const abi = parseAbi([
  'function approve(address spender, uint256 amount)',
  'function balanceOf(address owner) view returns (uint256)',
])
/** One in so many. */
const often = { round: 12, reorg: 50 }
const lastRounds = 8
/** Questions at the same time. */
const atOnce = 4
/** Steps that one delivery may need: received, paid, composed. */
const mostSteps = 4
const fillSeconds = 18_000

interface Receipt {
  readonly status: Hex
  readonly transactionHash: Hex
  readonly blockNumber: Hex
}

/** @param log - told how far it is. */
export async function conserve(
  args: {
    readonly transfers: number
    readonly forms: number
    readonly seed: number
    /** Seconds after which nothing more is sent; absent: all are. */
    readonly within?: number | undefined
  },
  log: (text: string) => void = () => undefined,
): Promise<Conserved> {
  const relayed = await startRelayedSandboxes()
  const random = createSeededRandom(BigInt(args.seed))
  const { rpc } = relayed
  const env = {
    ...Object.fromEntries(relayed.sandboxes.map(({ chainId, url }) => [`RPC_URL_${chainId}`, url])),
    CCTP_ATTESTATION_URL: relayed.sandboxes[0]?.url ?? '',
    RATE_LIMIT_PER_MINUTE: '10000000',
  }
  const transfers: Transfer[] = []
  const problems: string[] = []
  let reorgs = 0
  let service: TestService | null = null
  const send = (
    chainId: number,
    from: Address,
    tx: { to: Address; data?: Hex; value?: Hex; gas?: Hex },
  ) => rpc<Receipt>(chainId, 'eth_sendTransactionSync', [{ gas, from, ...tx }])

  try {
    for (const chainId of chainIds) await rpc(chainId, 'anvil_setCode', [taker, '0x00'])
    for (const chainId of chainIds) await rpc(chainId, 'evm_mine', [])
    // A block a second on each: what takes minutes here would let hours go by on one of them alone.
    for (const chainId of chainIds) await rpc(chainId, 'anvil_setBlockTimestampInterval', [1])
    service = await startService(env)
    await caughtUp([service], chainIds, rpc)
    const forms = await askedForms(service, args.forms, args.seed)
    await service.stop()
    service = null
    log(`${forms.length} forms`)
    await allow(forms, send)
    const places = chainIds.map(placesOf)
    const openings = await Promise.all(places.map((one) => opened(rpc, one)))
    let { hostile } = await relayed.relay('hostile', args.seed)

    const sendOne = async (chainId?: number): Promise<Transfer | null> => {
      const form = pick(
        chainId === undefined ? forms : forms.filter(({ from }) => from === chainId),
        random,
      )
      const { bridge, from, to, mode, tx } = form
      const value = numberToHex(BigInt(tx.value))
      const receipt = await send(from, alice.address, { to: tx.to, data: tx.data, value })
      // Prices have moved by more than it allows: nothing was sent.
      if (receipt.status !== '0x1') return null
      const transfer: Transfer = { bridge, from, to, mode, hash: receipt.transactionHash }
      transfers.push(transfer)
      return transfer
    }

    /** Some transfers, of which some are delivered, are unmade: the chain goes another way. */
    const reorganise = async (): Promise<void> => {
      const chainId = pick(chainIds, random)
      const snapshot = await rpc<Hex>(chainId, 'evm_snapshot', [])
      const made = []
      for (let left = 1 + random(5); left > 0; left--) made.push(await sendOne(chainId))
      await relayed.relay()
      await rpc(chainId, 'evm_revert', [snapshot])
      for (let left = 0; left < 8; left++) {
        await send(chainId, bystander.address, {
          to: stranger.address,
          value: numberToHex(random(1_000) + 1),
        })
      }
      for (const one of made) if (one) one.end = 'unmade'
      reorgs++
      await relayed.relay()
    }

    const standing = () => transfers.filter(({ end }) => end !== 'unmade')
    const until =
      args.within === undefined ? Number.POSITIVE_INFINITY : Date.now() + 1_000 * args.within
    for (let tries = 0; tries < 3 * args.transfers; tries++) {
      if (standing().length >= args.transfers || Date.now() > until) break
      if (random(often.reorg) === 0) await reorganise()
      else await sendOne()
      if (random(often.round) === 0) await relayed.relay()
      if (tries % 200 === 0) log(`${standing().length} sent, ${reorgs} reorgs`)
    }
    // So that the last ones are final, too.
    for (const chainId of chainIds) await rpc(chainId, 'anvil_mine', [numberToHex(16)])
    for (let round = 0; round < lastRounds; round++) ({ hostile } = await relayed.relay())
    // Verifiers verify, and sequencers include, whatever those who deliver do.
    await relayed.relay('unreceived')
    await relayed.relay('hold')
    log(`${standing().length} sent, ${JSON.stringify(hostile)}`)

    service = await startService(env)
    const refunds = await settle({ service, transfers, rpc, send, random, problems, log })
    await refundDeposits(rpc, refunds)
    const books = []
    for (const [index, one] of places.entries()) {
      const opening = openings[index]
      if (opening) books.push(await closed(rpc, one, opening))
    }
    const account = accountOf(books)
    const counts = (hostile ?? {}) as Record<string, number>
    if (counts.repeatedWell)
      problems.push(`${counts.repeatedWell} repeated deliveries did not revert`)
    return {
      transfers,
      account,
      problems: [...problems, ...account.problems],
      relayer: counts,
      reorgs,
      forms: forms.length,
    }
  } finally {
    await service?.stop()
    await relayed.stop()
  }
}

type Send = (
  chainId: number,
  from: Address,
  tx: { to: Address; data?: Hex; value?: Hex; gas?: Hex },
) => Promise<Receipt>

/** Whatever alice sends of. */
async function allow(forms: readonly Form[], send: Send): Promise<void> {
  const wanted = new Map(
    forms.flatMap(({ from, tokensIn, tx }) =>
      tokensIn.map((token) => [`${from} ${token} ${tx.to}`, { from, token, spender: tx.to }]),
    ),
  )
  for (const { from, token, spender } of wanted.values()) {
    const data = encodeFunctionData({ abi, functionName: 'approve', args: [spender, 2n ** 200n] })
    if (token.startsWith('0xeeee')) continue
    await send(from, alice.address, { to: token, data })
  }
}

interface Settling {
  readonly service: TestService
  readonly transfers: readonly Transfer[]
  readonly rpc: Rpc
  readonly send: Send
  readonly random: (limit: number) => number
  readonly problems: string[]
  log(text: string): void
}

export interface Refund {
  readonly chainId: number
  readonly token: Address
  readonly amount: bigint
}

/** Asks for each transfer, and does what the answer says, until each has come to its end. @returns what is to be paid back. */
async function settle(parts: Settling): Promise<Refund[]> {
  const { transfers, rpc, send, random, problems, log } = parts
  const stuck = new Map<Transfer, string>()
  const standing = new Set(transfers.flatMap(({ end, hash }) => (end === 'unmade' ? [] : [hash])))
  const limit = pLimit(atOnce)
  for (let step = 0; step <= mostSteps; step++) {
    await caughtUp([parts.service], chainIds, parts.rpc)
    let freed = 0
    const open = transfers.filter(
      (one) => one.end === undefined || one.end === 'unmade' || stuck.has(one),
    )
    const answers = await Promise.all(open.map((one) => limit(() => asked(parts.service, one))))
    for (const [index, transfer] of open.entries()) {
      const { status, body } = answers[index] ?? { status: 0, body: null }
      if (transfer.end === 'unmade') {
        // The same transaction may have been sent again since.
        if (step === 0 && status !== 404 && !standing.has(transfer.hash))
          problems.push(`${transfer.hash} is unmade, and told as ${body.status}`)
        continue
      }
      if (status !== 200) problems.push(`${transfer.hash}: ${status} ${body?.message}`)
      else if (body.status === 'delivered')
        transfer.end = stuck.has(transfer) ? (stuck.get(transfer) as End) : 'delivered'
      else if (body.status === 'failed' && body.destinationTxHash) transfer.end = 'fallback paid'
      else if (body.retry) {
        const { to, data, value, gas: limit } = body.retry
        const call = {
          to,
          data,
          value: numberToHex(BigInt(value)),
          ...(limit && { gas: numberToHex(BigInt(limit)) }),
        }
        const receipt = await send(transfer.to, stranger.address, call)
        if (receipt.status !== '0x1')
          problems.push(`${transfer.hash}: its retry reverts (${body.error})`)
        stuck.set(transfer, 'freed')
        transfer.end = 'freed'
        freed++
        continue
      } else if (
        body.fill &&
        !stuck.has(transfer) &&
        random(2) === 0 &&
        (await holds(rpc, transfer.to, body.fill))
      ) {
        const { to, data, token, amount } = body.fill
        const args = [to, BigInt(amount)] as const
        const approval = encodeFunctionData({ abi, functionName: 'approve', args })
        await send(transfer.to, alice.address, { to: token, data: approval })
        const receipt = await send(transfer.to, alice.address, { to, data })
        if (receipt.status !== '0x1')
          problems.push(`${transfer.hash}: its fill reverts (${body.error})`)
        stuck.set(transfer, 'filled by its sender')
        transfer.end = 'filled by its sender'
        freed++
        continue
      }
      stuck.delete(transfer)
    }
    log(
      `step ${step}: ${freed} freed, ${transfers.filter(({ end }) => end === undefined).length} open`,
    )
    if (freed === 0) break
  }
  for (const chainId of chainIds) {
    const { timestamp } = await rpc<{ timestamp: Hex }>(chainId, 'eth_getBlockByNumber', [
      'latest',
      false,
    ])
    const later = numberToHex(Number(timestamp) + 2 * fillSeconds)
    await rpc(chainId, 'evm_setNextBlockTimestamp', [later])
    await rpc(chainId, 'evm_mine', [])
  }
  await caughtUp([parts.service], chainIds, parts.rpc)
  const refunds: Refund[] = []
  for (const transfer of transfers.filter(({ end }) => end === undefined)) {
    const { body } = await asked(parts.service, transfer)
    const [, amount, token] =
      /Across pays (\d+) of (0x[0-9a-f]{40}) back to /.exec(body.error ?? '') ?? []
    if (body.status === 'failed' && amount && token && transfer.bridge === 'across') {
      refunds.push({ chainId: transfer.from, token: token as Address, amount: BigInt(amount) })
      transfer.end = 'refunded'
    } else
      problems.push(
        `${transfer.bridge} ${transfer.hash} waits for ever: ${JSON.stringify(body).slice(0, 600)}`,
      )
  }
  return refunds
}

/** Whether alice has what a fill takes. */
async function holds(
  rpc: Rpc,
  chainId: number,
  { token, amount }: { readonly token: Address; readonly amount: string },
): Promise<boolean> {
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [alice.address] })
  const held = await rpc<Hex>(chainId, 'eth_call', [{ to: token, data }, 'latest'])
  return BigInt(held) >= BigInt(amount)
}

function asked(service: TestService, { bridge, from, hash }: Transfer) {
  return service.get(`/api/v1/${bridge}/bridge/check`, { chainId: String(from), txHash: hash })
}

function placesOf(chainId: number): BridgePlaces {
  const chain = definitionOf(chainId)
  const { spokePool, acrossTokens, settlement } = bridgeAddresses(chain)
  const settled = bridgeAddresses(definitionOf(8453)).settlement
  const pools = stargatePools(chain)
  const ofts = oftsOn(chain).filter(({ symbol }) => symbol === 'USDT0')
  const cctp = cctpChain(chain)
  if (!cctp) throw new RangeError(`no CCTP on ${chainId}`)
  const own = ['Router', 'DestinationReceiver', 'DestinationExecutor'].map((name) =>
    contractAddress(name as 'Router'),
  )
  return {
    chainId,
    spokePool,
    acrossTokens,
    pools,
    ofts: ofts.map((one) => ({ ...one, isLocking: isLocking(chain) })),
    minter: cctp.minter,
    usdc: acrossToken(chainId, 'USDC'),
    portal: settlement === null && settled?.chainId === chainId ? settled.portal : null,
    own: [
      ...own,
      cctpLanding(cctp).address,
      ...[...pools, ...ofts].map((one) => composeLanding(one).address),
    ],
    relayer: acrossRelayer.address,
  }
}
