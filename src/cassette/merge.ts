/** Merges several cassettes into one. */
import { existsSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { ForkrouteError } from '../domain/errors.js'
import type { Hex } from '../domain/primitives.js'
import type { BlockRow } from '../rpc/cassette/cassette-blocks.js'
import { decodeValue, type HeldValue } from '../rpc/cassette/cassette-cells.js'
import { guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import { CassetteRequests, type RequestRow } from '../rpc/cassette/cassette-requests.js'
import { CassetteState } from '../rpc/cassette/cassette-state.js'
import type { Answer } from '../rpc/node/answer.js'
import { describe, type ItemKey } from '../rpc/node/state-item.js'
import { differences, readable } from './contents.js'
import { fromRequestText, urlOf } from './request-form.js'

/** Conflicts that an error names. */
const namedConflicts = 20

/**
 * @param out - file to create; must not exist.
 * @throws ForkrouteError INVALID_REQUEST naming settings that differ and rows that contradict each other;
 *   STORAGE_UNAVAILABLE for a file that is damaged or cannot be read or written. No file `out` is left then.
 */
export function mergeCassettes(files: readonly string[], out: string): void {
  if (existsSync(out)) throw refused(`${basename(out)} is there already`)
  const target = openCassetteFile(out, 'write')
  try {
    const conflicts: string[] = []
    guarded(() =>
      target.transaction(() => {
        for (const file of files) conflicts.push(...readable(() => addFile(target, file)))
        if (conflicts.length) throw refused(conflicts.slice(0, namedConflicts).join('; '))
      })(),
    )
    target.close()
  } catch (error) {
    target.close()
    rmSync(out, { force: true })
    throw error
  }
}

type Open = ReturnType<typeof openCassetteFile>

/** @returns the contradictions to the files added before. */
function addFile(target: Open, file: string): string[] {
  const name = basename(file)
  const source = openCassetteFile(file, 'read')
  try {
    const [from, to] = [new CassetteRequests(source), new CassetteRequests(target)]
    const [facts, known] = [from.facts(), to.facts()]
    if (Object.keys(known).length === 0) to.putFacts(facts)
    else {
      const differing = differences(known, facts)
      if (differing.length) return [`${name} was recorded otherwise: ${differing.join(', ')}`]
    }
    const conflicts: string[] = []
    const blockIds = new Map<number, number>()
    const state = new CassetteState(source)
    const copy = stateCopier(state, new CassetteState(target), name)
    for (const block of state.blocks.list()) {
      const { id, found } = copy(block)
      blockIds.set(block.id, id)
      conflicts.push(...found)
    }
    copyCalls(source, target, blockIds)
    copyChanges(source, target)
    for (const number of from.ids()) {
      const row = from.get(number)
      if (!row) continue
      const same = sameRequest(
        to.idsOf(row.key).flatMap((id) => to.get(id) ?? []),
        row,
      )
      if (same && withoutId(same.answer) !== withoutId(row.answer)) {
        const { method, ...rest } = fromRequestText(row.request)
        conflicts.push(`${name} has another answer of ${method} ${urlOf(rest)} (request ${number})`)
      } else if (!same) {
        to.put(
          { ...row, number: null },
          row.version,
          row.blocks.map(({ id }) => blockIds.get(id) ?? 0),
        )
      }
    }
    return conflicts
  } finally {
    source.close()
  }
}

function stateCopier(source: CassetteState, target: CassetteState, name: string) {
  const cells = new Map<number, number>()
  const codes = new Map<number, Hex | null | 'damaged'>()
  const code = (id: number) => {
    const known = codes.get(id) ?? source.cells.code(id)
    codes.set(id, known)
    return known
  }

  function answerOf(key: ItemKey, held: HeldValue): Answer<Hex> {
    if (held.kind === 'unreadable') return { ok: false, message: held.message }
    const value = held.kind === 'value' ? decodeValue(key, held.bytes, code) : 'damaged'
    if (value !== null && value !== 'damaged') return { ok: true, value }
    const row = held.kind === 'damaged' ? held.row : `row ${held.cell} of cells`
    throw damaged(name, `${row}, ${describe(key)}`)
  }

  return (block: BlockRow): { id: number; found: string[] } => {
    const at = { number: BigInt(block.number), hash: block.hash }
    const header = source.blocks.header(block.id)
    if (header === 'damaged')
      throw damaged(name, `row ${block.id} of blocks, block ${block.number}`)
    const isOfNumber = source.blocks.find(block.chainId, at.number)?.hash === block.hash
    const other = target.blocks.find(block.chainId, at.number)
    const id = target.blocks.put(block.chainId, at, header)
    if (isOfNumber && !other) target.blocks.setCanonical(block.chainId, at)
    const before = target.cells.stateOf({ ...block, id }).values
    const { values, damaged: broken } = source.cells.stateOf(block)
    if (broken[0] !== undefined) throw damaged(name, `${broken[0]}, block ${block.number}`)
    const found: string[] = []
    if (isOfNumber && other && other.hash !== block.hash) {
      found.push(
        `block ${block.number} of chain ${block.chainId} is ${block.hash} in ${name}, ${other.hash} before`,
      )
    }
    for (const [key, held] of values) {
      const cell = cells.get(held.cell) ?? target.cells.put(key, answerOf(key, held))
      cells.set(held.cell, cell)
      const known = before.get(key)
      if (known && known.cell !== cell) {
        found.push(
          `${name} has another value of ${describe(key)} at block ${block.number} of chain ${block.chainId}`,
        )
      } else if (!known) target.cells.putRead(id, cell)
    }
    return { id, found }
  }
}

interface CallColumns {
  readonly block: number
  readonly target: Buffer
  readonly data: Buffer
  readonly value: Buffer
}

function copyCalls(source: Open, target: Open, blockIds: ReadonlyMap<number, number>): void {
  const { answers } = new CassetteState(target)
  const hex = (bytes: Buffer): Hex => `0x${bytes.toString('hex')}`
  const rows = source.prepare<[], CallColumns>('SELECT block, target, data, value FROM calls')
  for (const { block, target: address, data, value } of rows.iterate()) {
    const id = blockIds.get(block)
    if (id !== undefined) answers.putCall(id, hex(address), hex(data), hex(value))
  }
}

/** Where both files have the same range, the first answer stays. */
function copyChanges(source: Open, target: Open): void {
  const rows = source.prepare<[], [number, string, string, number]>('SELECT * FROM changes').raw()
  const add = target.prepare('INSERT OR IGNORE INTO changes VALUES (?, ?, ?, ?)')
  for (const row of rows.all()) add.run(...row)
}

/** The row of the same request by the same caller at the same blocks. */
function sameRequest(rows: readonly RequestRow[], wanted: RequestRow): RequestRow | undefined {
  const places = ({ blocks }: RequestRow) =>
    blocks.map(({ chainId, hash, isHead }) => `${chainId}:${hash}:${isHead}`).join()
  return rows.find((row) => row.request === wanted.request && places(row) === places(wanted))
}

/** The answer without its request id: errors carry one, and it differs every time. */
function withoutId(answer: string): string {
  return answer.replace(/,"requestId":"[^"]*"/, '')
}

function refused(reason: string): ForkrouteError {
  return new ForkrouteError('INVALID_REQUEST', `The cassettes cannot be merged: ${reason}.`)
}

function damaged(name: string, what: string): ForkrouteError {
  return new ForkrouteError('STORAGE_UNAVAILABLE', `${name} is damaged at ${what}.`)
}
