/**
 * A cassette as an earlier version would have recorded it: nothing is there about the addresses that follow from the
 * contracts' code, and that code has other hashes.
 */
import { copyFile } from 'node:fs/promises'
import { encodeAbiParameters, type Hex, hexToBigInt, keccak256 } from 'viem'
import type { Address } from '../../../src/domain/primitives.js'
import {
  executorAddress,
  executorContracts,
  quoteSender,
  walletAddress,
} from '../../../src/executor/deployments.js'
import { openSqlite } from '../../../src/platform/sqlite.js'
import { fromKeyBytes } from '../../../src/rpc/cassette/cassette-codec.js'
import { sumOf } from '../../../src/rpc/cassette/cassette-file.js'
import { CassetteRequests } from '../../../src/rpc/cassette/cassette-requests.js'
import { addressOf, type ItemKey, isSlot, slotOf } from '../../../src/rpc/node/state-item.js'

/** Mappings of the sandbox's tokens and venues begin below. */
const bases = Array.from({ length: 13 }, (_one, base) => BigInt(base))

export interface Removed {
  /** Reads of the addresses themselves. */
  readonly accounts: number
  /** Of slots that tokens keep about one of them, or about one of them and another account. */
  readonly ofOne: number
  readonly ofTwo: number
}

/** Takes what follows from the contracts' code out of the file. */
export function removeOwn(file: string, senders: readonly Address[]): Removed {
  const own = new Set<Address>([
    ...Object.values(executorContracts).map(({ address }) => address),
    ...[quoteSender, ...senders].flatMap((one) => [executorAddress(one), walletAddress(one)]),
  ])
  const { db, keys, remove } = opened(file)
  const others = [...new Set(keys.map(({ key }) => addressOf(key)))]
  const ofOne = new Set(bases.flatMap((base) => [...own].map((one) => slot(one, base))))
  const pairs = [
    ...senders.flatMap((owner) => [...own].map((spender) => [owner, spender] as const)),
    ...[...own].flatMap((owner) => others.map((spender) => [owner, spender] as const)),
  ]
  const ofTwo = new Set(
    bases.flatMap((base) =>
      pairs.map(([owner, spender]) => slot(spender, hexToBigInt(slot(owner, base)))),
    ),
  )
  const removed = {
    accounts: remove((key) => own.has(addressOf(key))),
    ofOne: remove((key) => isSlot(key) && ofOne.has(slotOf(key))),
    ofTwo: remove((key) => isSlot(key) && ofTwo.has(slotOf(key))),
  }
  db.close()
  return removed
}

/** Takes the balance that a token keeps out of the file. @returns how many reads. */
export function removeBalance(file: string, token: Address, owner: Address): number {
  const slots = new Set(bases.map((base) => slot(owner, base)))
  const { db, remove } = opened(file)
  const count = remove((key) => isSlot(key) && addressOf(key) === token && slots.has(slotOf(key)))
  db.close()
  return count
}

/** A copy whose settings do not say whether answers have marks and cautions, what ranks them, how far pools are read and of which protocols, as earlier ones do not. */
export async function withoutMarks(file: string, copy: string): Promise<void> {
  await copyFile(file, copy)
  const db = openSqlite(copy)
  const requests = new CassetteRequests(db)
  const settings = JSON.parse(requests.facts().settings ?? '{}')
  const later = [
    'marksAnswers',
    'widensPools',
    'countsHoldings',
    'boundsPools',
    'mergesInputs',
    'narrowsSearches',
    'findsRebases',
    'runsBalancerHooks',
    'runsHooksOfMany',
    'countsFeeOrder',
    'cautions',
    'dataFee',
    'v4Hooks',
    'protocols',
  ]
  for (const name of later) delete settings[name]
  requests.putFacts({ settings: JSON.stringify(settings) })
  db.close()
}

/** Names other hashes of the contracts' code in a copy. */
export async function withOtherContracts(file: string, copy: string): Promise<void> {
  await copyFile(file, copy)
  const db = openSqlite(copy)
  const set = db.prepare('UPDATE versions SET value = ?, sum = ? WHERE id = ?')
  for (const { id, value } of db.prepare('SELECT id, value FROM versions').all() as {
    id: number
    value: string
  }[]) {
    const version = JSON.parse(value) as { contracts: Record<string, string> }
    const contracts = Object.fromEntries(
      Object.keys(version.contracts).map((name) => [name, name.padEnd(16, '0')]),
    )
    const text = JSON.stringify({ ...version, contracts })
    set.run(text, sumOf(text), id)
  }
  db.close()
}

/** The file, its keys, and how to drop the reads of some. */
function opened(file: string) {
  const db = openSqlite(file)
  const cells = db.prepare('SELECT id, key FROM cells').all() as { id: number; key: Buffer }[]
  const keys = cells.flatMap(({ id, key: bytes }) => {
    const key = fromKeyBytes(bytes)?.key
    return key === undefined ? [] : [{ id, key }]
  })
  const drop = db.prepare('DELETE FROM reads WHERE cell = ?')
  const remove = (those: (key: ItemKey) => boolean): number =>
    keys.filter(({ key }) => those(key)).reduce((count, { id }) => count + drop.run(id).changes, 0)
  return { db, keys, remove }
}

function slot(key: Address, place: bigint): Hex {
  return keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [key, place]))
}
