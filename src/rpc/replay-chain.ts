/**
 * A chain served from a cassette and from nothing else. What is missing or damaged is named; it never reads as zero.
 */
import { ForkrouteError } from '../domain/errors.js'
import type { Address, BlockPin, Hex } from '../domain/primitives.js'
import type { AnswerDb } from './answer-db.js'
import type { VerifiedBlock } from './block-check.js'
import { type ChainSource, layout, unreadableMark } from './chain-source.js'
import { codeIdOf } from './code-book.js'
import { toPin } from './header.js'
import type { Learned } from './learned.js'
import { createPoolSets } from './pool-sets.js'
import { addressOf, describe, emptyValue, type ItemKey, isCode } from './state-item.js'
import type { Answer, BlockRef } from './upstream.js'

const missing = 'not in the recording'

/** A recording holds what was read, whatever the reason. */
const nothingLearned: Learned = { get: () => null, put: () => undefined }

export function createReplayChain(options: {
  readonly chainId: number
  readonly cassette: AnswerDb
  readonly knownEmpty: ReadonlySet<Address>
  readonly onHead: (head: BlockPin) => void
}): ChainSource {
  const { chainId, cassette, knownEmpty } = options
  const chainScope = layout.chainScope(chainId)
  const startedAt = Date.now()

  /** @throws ForkrouteError UPSTREAM_UNAVAILABLE when the row is damaged. */
  function get(scope: string, item: string, name: string): string | null {
    const row = cassette.get(scope, item)
    if (row.kind === 'found') return row.value
    if (row.kind === 'absent') return null
    throw damaged(name)
  }

  function damaged(name: string): ForkrouteError {
    return new ForkrouteError('UPSTREAM_UNAVAILABLE', `The recording is damaged at ${name}.`, {
      chainId,
    })
  }

  function findBlock(ref: bigint | Hex, full: boolean): Answer<VerifiedBlock> {
    const name = `block ${ref}${full ? ' with its transactions' : ''}`
    const hash =
      typeof ref === 'bigint' ? (get(chainScope, `number:${ref}`, name) as Hex | null) : ref
    const text =
      hash === null ? null : get(layout.blockScope(chainId, hash), layout.block(full), name)
    if (text === null) return { ok: false, message: `${name} is ${missing}` }
    const json = JSON.parse(text) as VerifiedBlock['json']
    const pin = toPin(chainId, json)
    return pin
      ? { ok: true, value: { pin, json } }
      : { ok: false, message: `${name} is recorded without a header` }
  }

  function read(key: ItemKey, block: BlockRef): Answer<Hex> {
    if (knownEmpty.has(addressOf(key))) return { ok: true, value: emptyValue(key) }
    const name = `${describe(key)} at block ${block.number}`
    const value = get(layout.blockScope(chainId, block.hash), key, name)
    if (value === null) return { ok: false, message: missing }
    if (value.startsWith(unreadableMark)) {
      return { ok: false, message: value.slice(unreadableMark.length) }
    }
    if (!isCode(key) || value === '0x') return { ok: true, value: value as Hex }
    const code = get(layout.codeScope, value, name) as Hex | null
    if (code === null) return { ok: false, message: missing }
    if (codeIdOf(code) !== value) throw damaged(name)
    return { ok: true, value: code }
  }

  function findHead(): BlockPin | null {
    const hash = get(chainScope, 'head', 'the head') as Hex | null
    const block = hash === null ? null : findBlock(hash, false)
    return block?.ok ? block.value.pin : null
  }

  const head = findHead()
  if (head) options.onHead(head)

  return {
    chainId,
    firstAnswers: Promise.resolve(),
    async pin(at) {
      if (at === 'latest') {
        if (head) return head
        throw new ForkrouteError('CHAIN_NOT_READY', `Chain ${chainId} is ${missing}.`, { chainId })
      }
      const block = findBlock(at, false)
      if (block.ok) return block.value.pin
      throw new ForkrouteError('UNKNOWN_BLOCK', `Block ${at} is ${missing}.`, {
        chainId,
        blockNumber: at.toString(),
      })
    },
    block: async (ref, { full = false } = {}) => findBlock(ref, full),
    read,
    call: async () => ({ ok: false, message: missing }),
    prefetch: async () => ({ items: 0, failed: 0 }),
    learned: nothingLearned,
    poolSets: createPoolSets(nothingLearned),
    status: () => ({
      connected: head !== null,
      capabilities: {},
      problem: head ? null : `Chain ${chainId} is ${missing}.`,
      headSeenAt: head ? startedAt : null,
      nodes: [],
    }),
    async close() {},
  }
}
