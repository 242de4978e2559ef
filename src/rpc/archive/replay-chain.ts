/**
 * A chain served from a cassette alone. Missing or damaged state is an error that names it; it never reads as zero.
 */
import { LRUCache } from 'lru-cache'
import { unknownBlock } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import type { Address, BlockPin, Hex } from '../../domain/primitives.js'
import {
  type BlockRow,
  type BlockState,
  type CassetteState,
  decodeValue,
} from '../cassette/cassette-state.js'
import { createLaterState, type LaterAccounts } from '../cassette/later-state.js'
import { createForkReads } from '../hints/fork-reads.js'
import type { Learned } from '../hints/learned.js'
import { createPoolSets } from '../hints/pool-sets.js'
import type { Answer, BlockRef } from '../node/answer.js'
import type { VerifiedBlock } from '../node/block-check.js'
import { toPin } from '../node/header.js'
import {
  accountKeys,
  addressOf,
  describe,
  emptyValue,
  type ItemKey,
  isSlot,
  withAccounts,
} from '../node/state-item.js'
import type { ChainSource } from './chain-source.js'

/** A replay reads nothing ahead. */
const nothingLearned: Learned = { get: () => null, put: () => undefined }

/** Blocks whose state is in memory; some thousand values each. */
const blocksKept = 64
const maxCodeChars = 128 * 1024 * 1024

/**
 * @param head - number of the block that counts as the newest; null: the newest that is recorded.
 */
export function createReplayChain(options: {
  readonly chainId: number
  readonly cassette: CassetteState
  readonly head: bigint | null
  readonly knownEmpty: ReadonlySet<Address>
  readonly later: readonly LaterAccounts[]
  readonly onHead: (head: BlockPin) => void
}): ChainSource {
  const { chainId, cassette, knownEmpty } = options
  const later = options.later.map((accounts) => createLaterState(accounts, cassette.contracts))
  const startedAt = Date.now()
  const rows = new LRUCache<Hex, BlockRow>({ max: 4 * blocksKept })
  const headers = new LRUCache<Hex, VerifiedBlock>({ max: 4 * blocksKept })
  const states = new LRUCache<Hex, BlockState>({ max: blocksKept })
  const codes = new LRUCache<number, Hex>({
    maxSize: maxCodeChars,
    sizeCalculation: (code) => code.length,
  })

  /** Forks pass this text on to the caller, where `faults.ts` recognises it. */
  function fault(verb: 'lacks' | 'is damaged at', what: string): ForkrouteError {
    const text = `The cassette ${verb} ${what} of chain ${chainId}.`
    return new ForkrouteError('UPSTREAM_UNAVAILABLE', text, { chainId })
  }

  function findRow(ref: bigint | Hex): BlockRow | null {
    const row =
      (typeof ref === 'bigint' ? undefined : rows.get(ref)) ?? cassette.findBlock(chainId, ref)
    if (row) rows.set(row.hash, row)
    return row
  }

  function findBlock(ref: bigint | Hex): Answer<VerifiedBlock> {
    const row = findRow(ref)
    const missing = { ok: false, message: `block ${ref} is not in the cassette` } as const
    if (!row) return missing
    const known = headers.get(row.hash)
    if (known) return { ok: true, value: known }
    const json = cassette.header(row.id)
    if (json === 'damaged')
      throw fault('is damaged at', `row ${row.id} of blocks, block ${row.number}`)
    const pin = json && toPin(chainId, json)
    if (!json || !pin) return missing
    headers.set(row.hash, { pin, json })
    return { ok: true, value: { pin, json } }
  }

  function code(id: number): Hex | null | 'damaged' {
    const known = codes.get(id)
    if (known) return known
    const read = cassette.code(id)
    if (read !== null && read !== 'damaged') codes.set(id, read)
    return read
  }

  function stateOf(at: BlockRef): BlockState | null {
    const known = states.get(at.hash)
    if (known) return known
    const row = findRow(at.hash)
    if (!row) return null
    const state = cassette.stateOf(row)
    states.set(at.hash, state)
    return state
  }

  /**
   * Whether it is the account that simulations pay their tip to. No answer depends on it, and recordings in which
   * simulations paid nobody lack it.
   */
  function isPaidMiner(key: ItemKey, at: BlockRef): boolean {
    const block = findBlock(at.hash)
    const isMiner = block.ok && addressOf(key) === block.value.pin.miner
    return isMiner && !isSlot(key)
  }

  /** Whether no recording needs to hold it. Not known where some row may have held it. */
  function isNeedless(key: ItemKey, at: BlockRef): boolean {
    if (stateOf(at)?.damaged.length) return false
    return isPaidMiner(key, at) || later.some((state) => state.has(key, at.hash))
  }

  function read(key: ItemKey, at: BlockRef): Answer<Hex> {
    if (knownEmpty.has(addressOf(key))) return { ok: true, value: emptyValue(key) }
    const state = stateOf(at)
    const held = state?.values.get(key)
    const name = `${describe(key)} at block ${at.number}`
    if (!held) {
      if (isNeedless(key, at)) return { ok: true, value: emptyValue(key) }
      const broken = state?.damaged.length ? ` (or it was in a damaged row: ${state.damaged})` : ''
      throw fault('lacks', `${name}${broken}`)
    }
    if (held.kind === 'damaged') throw fault('is damaged at', `${held.row}, ${name}`)
    if (held.kind === 'unreadable') return { ok: false, message: held.message }
    const value = decodeValue(key, held.bytes, code)
    if (value === null) throw fault('lacks', `the row of codes for ${name}`)
    if (value === 'damaged') throw fault('is damaged at', `the row of codes for ${name}`)
    return { ok: true, value }
  }

  function findHead(): BlockPin | null {
    const newest = cassette.blocks(chainId).at(-1)
    const number = options.head ?? (newest ? BigInt(newest.number) : null)
    const block = number === null ? null : findBlock(number)
    return block?.ok ? block.value.pin : null
  }

  const head = findHead()
  if (head) options.onHead(head)
  const problem = head ? null : `Chain ${chainId} is not in the cassette.`

  return {
    chainId,
    firstAnswers: Promise.resolve(),
    async pin(at) {
      if (at === 'latest') {
        if (head) return head
        throw new ForkrouteError('CHAIN_NOT_READY', problem ?? '', { chainId })
      }
      const block = findBlock(at)
      if (block.ok) return block.value.pin
      throw unknownBlock({ chainId, number: at }, `Block ${at} is not in the cassette.`)
    },
    block: async (ref) => findBlock(ref),
    read,
    ahead: async () => false,
    foresee: () => undefined,
    guess: () => undefined,
    assumeEmpty: () => undefined,
    held(slots, at) {
      const values = stateOf(at)?.values ?? new Map()
      const isHeld = (key: ItemKey): boolean => values.get(key)?.kind === 'value'
      return withAccounts(slots, isHeld).flatMap((key) => {
        const answer = read(key, at)
        return answer.ok ? [[key, answer.value] as const] : []
      })
    },
    heldAccounts(accounts, at) {
      const here = stateOf(at)?.values.size ?? 0
      // What other blocks lack, the next ones may lack as well, and a fork that knows it could not move on to these. A
      // block of which much less is held, such as the head, was asked for something else.
      const alike = [...states.values()].filter(({ values }) => 2 * values.size >= here)
      const isHeld = (key: ItemKey): boolean =>
        alike.every(({ values }) => values.get(key)?.kind === 'value')
      return accounts.filter(
        (address) => knownEmpty.has(address) || accountKeys(address).every(isHeld),
      )
    },
    async call(to, data, at) {
      const row = findRow(at.hash)
      const value = row && cassette.call(row.id, to, data)
      const name = `the call of ${to} at block ${at.number}`
      if (value === 'damaged') throw fault('is damaged at', name)
      return value === null
        ? { ok: false, message: `${name} is not in the cassette` }
        : { ok: true, value }
    },
    async changedBlocks(question) {
      const numbers = cassette.changes(chainId, question)
      const name = `the blocks from ${question.from} to ${question.to} with events of these contracts`
      if (numbers === 'damaged') throw fault('is damaged at', name)
      if (numbers) return numbers
      throw new ForkrouteError('STATE_UNAVAILABLE', `The cassette lacks ${name}.`, { chainId })
    },
    logs: async () => null,
    async transaction() {
      const message = `A cassette holds no transactions of chain ${chainId}: ask a service with a node.`
      throw new ForkrouteError('STATE_UNAVAILABLE', message, { chainId })
    },
    note: () => undefined,
    noted(name, at) {
      const row = findRow(at.hash)
      const text = row && cassette.note(row.id, name)
      if (text === 'damaged') throw fault('is damaged at', `a note at block ${at.number}`)
      return text
    },
    prefetch: async () => ({ items: 0, failed: 0 }),
    learned: nothingLearned,
    poolSets: createPoolSets(nothingLearned),
    forkReads: createForkReads(),
    status: () => ({
      connected: head !== null,
      capabilities: {},
      problem,
      headSeenAt: head ? startedAt : null,
      nodes: [],
    }),
    async close() {},
  }
}
