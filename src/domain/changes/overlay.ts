/**
 * What makers publish of the state that a chain's next block will have, before it is there. Pure.
 *
 * @see lambdaclass/propamm-router-contracts, README: titan_getPammStateOverrides
 */

import { addressPattern } from '../grammar.js'
import { type Address, type BlockPin, toAddress } from '../primitives.js'
import { accountsOf, integerOf, isObject } from './accounts.js'
import type { ChangedAccount, ChangedAccounts } from './what-if.js'

export interface StateOverlay {
  readonly chainId: number
  /** The block that is being built. */
  readonly blockNumber: bigint
  /** By the venue's contract: what it and accounts around it will hold. */
  readonly published: Readonly<Record<Address, ChangedAccounts>>
}

const mostVenues = 32
const maxBlock = 2n ** 53n
/** Fields of a document that are not of a venue. */
const about = ['chainId', 'blockNumber', 'slot', 'timestamp', 'timestampNs']

/** Whether transactions after the pinned block are simulated in the block that the overlay is for. */
export function isMeantFor({ chainId, blockNumber }: StateOverlay, pin: BlockPin): boolean {
  return chainId === pin.chainId && blockNumber === pin.number + 1n
}

/** Of all venues; where two of them say different things of one word, the higher address counts. */
export function accountsIn({ published }: StateOverlay): ChangedAccounts {
  const merged: Record<Address, ChangedAccount> = {}
  for (const [, accounts] of Object.entries(published).sort(([a], [b]) => (a < b ? -1 : 1))) {
    for (const [address, account] of Object.entries(accounts) as [Address, ChangedAccount][]) {
      const before = merged[address]
      const stateDiff = { ...before?.stateDiff, ...account.stateDiff }
      merged[address] = { ...before, ...account, stateDiff }
    }
  }
  return merged
}

/**
 * Reads `{ "blockNumber": "0x…", "<venue>": { "stateOverride": { "<account>": { "stateDiff": … } } } }`. Code cannot be
 * replaced, nor the whole storage of an account.
 *
 * @param problems - receives sentences about what is wrong with the document, which then counts as none.
 */
export function overlayOf(
  chainId: number,
  document: unknown,
  problems: string[],
): StateOverlay | null {
  const report = (path: readonly (string | number)[], message: string) => {
    problems.push(`${['the overlay', ...path].join('.')} ${message}`)
  }
  if (!isObject(document)) {
    report([], 'must be an object of venues')
    return null
  }
  const blockNumber = integerOf(document.blockNumber, maxBlock, ['blockNumber'], report)
  const venues = Object.entries(document).filter(([name]) => !about.includes(name))
  if (venues.length > mostVenues) report([], `must have at most ${mostVenues} venues`)
  const published = Object.fromEntries(
    venues.slice(0, mostVenues).map(([name, value]) => {
      if (!addressPattern.test(name)) report([], `has ${name.slice(0, 80)}, which is no address`)
      const override = isObject(value) ? value.stateOverride : undefined
      const accounts = accountsOf(override, (path, message) => {
        report([name, 'stateOverride', ...path], message)
      })
      for (const [address, { code, state }] of Object.entries(accounts)) {
        if (code ?? state) report([name, 'stateOverride', address], 'must not have code or state')
      }
      return [toAddress(name), accounts]
    }),
  )
  if (problems.length > 0 || blockNumber === undefined) return null
  return { chainId, blockNumber, published }
}

/** The form that `overlayOf` reads, for the record of a request. */
export function toDocument({ chainId, blockNumber, published }: StateOverlay): object {
  const venues = Object.entries(published).map(([venue, accounts]) => [
    venue,
    { stateOverride: Object.fromEntries(Object.entries(accounts).map(toWire)) },
  ])
  return { chainId, blockNumber: String(blockNumber), ...Object.fromEntries(venues) }
}

function toWire([address, { balance, ...rest }]: [string, ChangedAccount]) {
  return [address, { ...(balance !== undefined && { balance: String(balance) }), ...rest }]
}
