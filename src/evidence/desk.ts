/**
 * Makes evidence of answers: runs the final transaction as a verifier will, on an Anvil that reads through this process,
 * and proves all that it read. What is signed has passed the verifier's own checks.
 */
import { createHash } from 'node:crypto'
import { Account } from '@ethereumjs/util'
import pLimit from 'p-limit'
import { type Hex as AnyHex, numberToHex } from 'viem'
import { hardForkAt } from '../chains/registry.js'
import type { ChainRules } from '../domain/chain-rules.js'
import { invalidRequest, unreadable } from '../domain/common-errors.js'
import { ForkrouteError } from '../domain/errors.js'
import { simulatedHardFork } from '../domain/hard-forks.js'
import type { AnsweredRequest, EvidenceDesk } from '../domain/operations/evidence.js'
import { type Address, type BlockPin, bigintToString, type Hex } from '../domain/primitives.js'
import type { SimulationRequest } from '../domain/state.js'
import { blockEnvironment } from '../forks/block-environment.js'
import { archiveOf, forkClient } from '../forks/clients.js'
import type { Archive } from '../rpc/archive/archive.js'
import { noCode, provenAccount, provenSlot, TrieNodes } from '../rpc/node/proof/trie.js'
import { runOver } from '../verify/anvil.js'
import { headerRlp } from '../verify/header.js'
import {
  type Evidence,
  type EvidenceFile,
  executionOf,
  signedBytes,
  verifyEvidence,
} from '../verify/verify.js'
import type { SigningKey } from './signing-key.js'

export interface DeskParts {
  readonly archive: Pick<Archive, 'url'>
  readonly rulesOf: (chainId: number) => ChainRules
  readonly key: Pick<SigningKey, 'publicKey' | 'sign'>
  readonly madeBy: Evidence['madeBy']
  /** Whether all evidence that there is was recorded. */
  readonly isReplay: boolean
}

type Assumed = Evidence['execution']['assumed']

/** Each runs an Anvil of its own. */
const atOnce = 2

export function createEvidenceDesk(parts: DeskParts): EvidenceDesk {
  const limit = pLimit(atOnce)
  return {
    publicKey: () => parts.key.publicKey(),
    async of(answered) {
      const { chainId, number, hash } = answered.answer.block
      const archive = archiveOf({ archiveUrl: parts.archive.url(chainId, number, hash) })
      const name = `evidence ${digestOf(answered)}`
      const kept = await archive.request('forkroute_noted', [name])
      if (kept !== null) return JSON.parse(kept) as Readonly<Record<string, unknown>>
      if (parts.isReplay) throw notProvable('the cassette lacks it, or it was of another answer')
      const file = await limit(() => makeFile(answered, parts))
      await archive.request('forkroute_note', [name, JSON.stringify(file)])
      return { ...file }
    },
  }
}

/** The same for the same answer to the same request. */
function digestOf({ endpoint, input, record }: AnsweredRequest): string {
  const text = JSON.stringify([endpoint, input, record], bigintToString)
  return createHash('sha256').update(text).digest('hex')
}

async function makeFile(answered: AnsweredRequest, parts: DeskParts): Promise<EvidenceFile> {
  const { answer } = answered
  const url = parts.archive.url(answer.chainId, answer.block.number, answer.block.hash)
  const header = await headerAt(url, answer.block)
  const draft = draftOf(answered, header, parts)
  const reads = new StateLog(url, answer.block)
  const { from } = draft.execution.transaction
  const { nonce, balance } = await reads.account(from)
  const sender = new Account(nonce, balance)
  const readState = { accounts: new Map([[from as string, sender]]), slots: new Map() }
  const run = await attempt(() => executionOf(draft, readState))
  const result = await attempt(() => runOver(run, reads))
  const state = await reads.proven(header.stateRoot as Hex, draft.execution.assumed)
  const evidence: Evidence = { ...draft, state }
  const { key } = parts
  const file = {
    evidence,
    publicKey: key.publicKey(),
    signature: key.sign(signedBytes(evidence)),
  }
  const { problem } = await verifyEvidence(JSON.stringify(file), { run: async () => result })
  if (problem) throw notProvable(problem.message)
  return file
}

/** @throws ForkrouteError where what is checked is not so. */
async function attempt<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ForkrouteError) throw error
    throw notProvable(error instanceof Error ? error.message : String(error))
  }
}

function notProvable(reason: string): ForkrouteError {
  return new ForkrouteError('STATE_UNAVAILABLE', `There is no evidence of this answer: ${reason}.`)
}

function headerAt(url: string, { number }: BlockPin): Promise<Readonly<Record<string, unknown>>> {
  return forkClient(url).request('eth_getBlockByNumber', [numberToHex(number), false])
}

function draftOf(
  { endpoint, input, record, answer }: AnsweredRequest,
  header: Readonly<Record<string, unknown>>,
  { rulesOf, madeBy }: DeskParts,
): Evidence {
  const { block, simulation } = answer
  if (!simulation || block.changes) {
    throw invalidRequest([
      'evidence is of a transaction on one chain, whose state no request has changed.',
    ])
  }
  const rules = rulesOf(block.chainId)
  const { time, baseFeePerGas } = blockEnvironment(block, rules)
  const { from, data, value, gasLimit = 0n } = simulation
  const delegate = delegateOf(simulation)
  const to = delegate ?? simulation.to
  return {
    format: 'forkroute-evidence-1',
    madeBy,
    request: { endpoint, input: JSON.parse(JSON.stringify(input, bigintToString)) },
    answer: JSON.parse(JSON.stringify(record)),
    block: { chainId: block.chainId, hash: block.hash, header: headerRlp(header) },
    execution: {
      transaction: { from, to, data, value: numberToHex(value), gas: numberToHex(gasLimit) },
      isDelegated: delegate !== null,
      hardFork: simulatedHardFork(hardForkAt(block)),
      time: numberToHex(time),
      baseFeePerGas: numberToHex(baseFeePerGas),
      priorityFeePerGas: numberToHex(rules.priorityFeePerGas),
      assumed: assumptionsOf(simulation),
    },
    state: { accounts: [], nodes: [], codes: [] },
  }
}

/** Whose code the sender's account runs, as an EIP-7702 account does; null: none. */
function delegateOf({ from, to, overrides }: SimulationRequest): Address | null {
  const [, delegate] = /^0xef0100([0-9a-f]{40})$/i.exec(overrides[from]?.code ?? '') ?? []
  return delegate && to === from ? `0x${delegate.toLowerCase()}` : null
}

/** @throws ForkrouteError INVALID_REQUEST where the simulation assumes more than a verifier accepts. */
function assumptionsOf(simulation: SimulationRequest): Assumed {
  const { from, before = [], overrides } = simulation
  const found: Assumed = []
  if (before.length) throw unproven('its sender is lent what it swaps')
  for (const [address, { balance, code, nonce, stateDiff = {}, preimages = {} }] of Object.entries(
    overrides,
  )) {
    const isOwn = address === from && delegateOf(simulation) !== null
    const isOther = code !== undefined && !isOwn
    if (isOther || nonce !== undefined || (balance !== undefined && address !== from)) {
      throw unproven('it is simulated with code that is not of the chain')
    }
    if (balance !== undefined) {
      const value = numberToHex(balance, { size: 32 })
      found.push({ token: null, slot: numberToHex(0n, { size: 32 }), value, preimages: [] })
    }
    for (const [slot, value] of Object.entries(stateDiff) as [Hex, Hex][]) {
      found.push({
        token: address as Address,
        slot,
        value,
        preimages: [...(preimages[slot] ?? [])],
      })
    }
  }
  return found
}

function unproven(reason: string): ForkrouteError {
  return invalidRequest([`evidence cannot be given of this answer: ${reason}.`])
}

/** Reads state for an execution, and proves what it has read. */
class StateLog {
  readonly #url: string
  readonly #pin: BlockPin
  readonly #accounts = new Map<string, Promise<{ nonce: bigint; balance: bigint; code: Hex }>>()
  readonly #slots = new Map<string, Map<Hex, Promise<bigint>>>()

  constructor(url: string, pin: BlockPin) {
    this.#url = url
    this.#pin = pin
  }

  account(address: string) {
    const known = this.#accounts.get(address)
    const read = known ?? this.#readAccount(address)
    this.#accounts.set(address, read)
    return read
  }

  slot(address: string, slot: AnyHex): Promise<bigint> {
    const own = this.#slots.get(address) ?? new Map<Hex, Promise<bigint>>()
    this.#slots.set(address, own)
    const read = own.get(slot) ?? this.#ask<Hex>('eth_getStorageAt', [address, slot]).then(BigInt)
    own.set(slot, read)
    return read
  }

  /** @throws ForkrouteError STATE_UNAVAILABLE where a proof is missing or shows another value. */
  async proven(stateRoot: Hex, assumed: Assumed): Promise<Evidence['state']> {
    for (const { token, slot } of assumed) if (token) await this.slot(token, slot)
    for (const address of this.#slots.keys()) await this.account(address)
    const archive = archiveOf({ archiveUrl: this.#url })
    const places = [...this.#accounts.keys()].sort().map((address) => ({
      address: address as Address,
      slots: [...(this.#slots.get(address)?.keys() ?? [])].sort(),
    }))
    const proofs = await Promise.all(
      places.map(({ address, slots }) => archive.request('forkroute_proof', [address, slots])),
    )
    if (proofs.includes(null))
      throw unreadable('proofs of the state', { chainId: this.#pin.chainId })
    const nodes = new TrieNodes(proofs.flatMap((one) => one ?? []))
    const codes = new Set<Hex>()
    for (const { address, slots } of places) {
      const account = await attempt(() => provenAccount(stateRoot, address, nodes))
      const read = await this.account(address)
      const isSame = account.nonce === read.nonce && account.balance === read.balance
      if (!isSame) throw notProvable(`the proof of ${address} shows another account than was read`)
      if (account.codeHash !== noCode) codes.add(read.code)
      for (const slot of slots) {
        const value = await attempt(() => provenSlot(account.storageRoot, slot, nodes))
        if (value !== (await this.slot(address, slot))) {
          throw notProvable(
            `the proof of slot ${slot} of ${address} shows another value than was read`,
          )
        }
      }
    }
    return { accounts: places, nodes: nodes.used(), codes: [...codes] }
  }

  async #readAccount(address: string) {
    type Info = { readonly balance: Hex; readonly nonce: Hex; readonly code: Hex }
    const { balance, nonce, code } = await this.#ask<Info>('eth_getAccountInfo', [address])
    return { balance: BigInt(balance), nonce: BigInt(nonce), code }
  }

  #ask<T>(method: string, params: readonly unknown[]): Promise<T> {
    return forkClient(this.#url).request<T>(method, [...params, numberToHex(this.#pin.number)])
  }
}
