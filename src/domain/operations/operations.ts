/** What those who run a service see of it and change in it, besides what routes are made of. */

import type { StateOverlay } from '../changes/overlay.js'
import type { Address, Hex } from '../primitives.js'
import type {
  BookOrder,
  ImportedOrder,
  Makers,
  OrderQuery,
  OrderVisibility,
  OwnOrder,
  SignedOrder,
} from '../signed-order.js'
import type { CassetteEntry, CassetteFacts, Check, Recording } from './checks.js'
import type { EvidenceDesk } from './evidence.js'
import type { KnownPool, PoolIndexState, PoolQuery, PoolRow } from './pools.js'
import type { DoctorCheck, Setting, SystemState } from './system.js'

export interface Operations {
  readonly evidence: EvidenceDesk
  system(): Promise<SystemState>
  settings(): readonly Setting[]
  /** Calls at the same time share one examination. */
  doctor(): Promise<readonly DoctorCheck[]>
  /** @throws ForkrouteError STORAGE_UNAVAILABLE, as the other methods that read or write files. */
  pools(query: PoolQuery): { readonly total: number; readonly pools: readonly KnownPool[] }
  importPools(
    chainId: number,
    pools: readonly PoolRow[],
  ): { readonly added: number; readonly updated: number }
  poolIndex(): readonly PoolIndexState[]
  /**
   * Adds signed orders of the owner, the id of a key; one that is known is replaced. Hashes are in their order.
   * @throws ForkrouteError INVALID_REQUEST for orders that no route can fill, and beyond the most of an owner.
   */
  importOrders(
    owner: string,
    visibility: OrderVisibility,
    orders: readonly (OwnOrder | BookOrder)[],
  ): Promise<{
    readonly added: number
    readonly updated: number
    readonly hashes: readonly Hex[]
    readonly settlement: Address
  }>
  /** What the owner has imported, the oldest first. */
  ordersOf(
    owner: string,
    query: OrderQuery,
  ): { readonly total: number; readonly orders: readonly ImportedOrder[] }
  /** @returns how many of them the owner had, and now has no longer. */
  removeOrders(owner: string, chainId: number, hashes: readonly Hex[]): number
  /** What the owner may use on the chain: its own orders and those of all, each once, by hash. */
  usableOrders(owner: string, chainId: number): readonly SignedOrder[]
  /** Makers that sign when they are asked; of a replay there are none. */
  readonly makers: Makers
  /** What makers publish of the chain's next block; null: nothing. */
  overlay(chainId: number): StateOverlay | null
  /** Sorted by name. */
  cassettes(): readonly CassetteEntry[]
  /** @throws ForkrouteError NOT_FOUND. */
  cassette(
    name: string,
    page: { readonly offset: number; readonly limit: number },
  ): Promise<CassetteFacts>
  /** @throws ForkrouteError NOT_FOUND. */
  recording(name: string, number: number): Promise<Recording>
  /**
   * Asks recorded requests again, and compares the answers.
   * @param numbers - null: all.
   * @throws ForkrouteError NOT_FOUND, OVERLOADED while another check runs.
   */
  checkCassette(name: string, numbers: readonly number[] | null): Check
  /**
   * Runs a suite, which may name a cassette of the folder, and neither a node nor settings.
   * @param source - YAML.
   * @throws ForkrouteError INVALID_REQUEST with every mistake, NOT_FOUND, OVERLOADED.
   */
  checkSuite(source: string): Promise<Check>
  /** The newest first; older ones are forgotten. */
  checks(): readonly Check[]
  /** @throws ForkrouteError NOT_FOUND. */
  check(id: string): Check
}
