/** Who sent the transactions of a cassette's requests, and which software calculated them at which blocks. */
import { addressPattern } from '../domain/grammar.js'
import { type Address, type Hex, toAddress } from '../domain/primitives.js'
import { guarded, openCassetteFile } from '../rpc/cassette/cassette-file.js'
import { CassetteRequests, DamagedRow, type RequestRow } from '../rpc/cassette/cassette-requests.js'
import type { RecorderVersion } from './contents.js'
import { fromRequestText } from './request-form.js'

export interface RecordedSenders {
  readonly senders: readonly Address[]
  readonly versions: readonly {
    readonly version: Partial<RecorderVersion>
    /** Hashes. */
    readonly blocks: readonly Hex[]
  }[]
}

/** Fields of queries and bodies that say from whom. */
const senderFields: readonly string[] = ['fromAddress', 'eoaAddress', 'from']

/** Damaged requests are left out. @throws ForkrouteError STORAGE_UNAVAILABLE. */
export function readSenders(file: string): RecordedSenders {
  const db = openCassetteFile(file, 'read')
  try {
    return guarded(() => {
      const requests = new CassetteRequests(db)
      const rows = requests.ids().flatMap((id) => sound(() => requests.get(id)) ?? [])
      const blocks = new Map<string, Set<Hex>>()
      for (const row of rows) {
        const known = blocks.get(row.version) ?? new Set()
        for (const { hash } of row.blocks) known.add(hash)
        blocks.set(row.version, known)
      }
      const senders = rows.flatMap((row) => sendersIn(fromRequestText(row.request)))
      return {
        senders: [...new Set(senders)],
        versions: [...blocks].map(([text, hashes]) => ({
          version: JSON.parse(text) as Partial<RecorderVersion>,
          blocks: [...hashes],
        })),
      }
    })
  } finally {
    db.close()
  }
}

function sound(read: () => RequestRow | null): RequestRow | null {
  try {
    return read()
  } catch (error) {
    if (error instanceof DamagedRow) return null
    throw error
  }
}

/** Addresses in the fields that name a sender, at any depth. */
function sendersIn(value: unknown): Address[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, field]) => {
    if (!senderFields.includes(name)) return sendersIn(field)
    return [field].flat().flatMap((one) => toSender(one) ?? [])
  })
}

function toSender(value: unknown): Address | null {
  const text = String(value)
  return addressPattern.test(text) ? toAddress(text) : null
}
