/**
 * What a worker thread caches between tasks: market, prices and token facts of the last few blocks.
 */
import { LRUCache } from 'lru-cache'
import { type Catalog, openCatalog } from '../../catalog/store.js'
import { tokenKey } from '../../catalog/token-lists.js'
import { type ChainDefinition, withProtocols } from '../../chains/chain.js'
import { ethereum } from '../../chains/ethereum.js'
import { chainById } from '../../chains/registry.js'
import { stateKey } from '../../domain/changes/what-if.js'
import { unknownChain } from '../../domain/common-errors.js'
import type { BlockPin, Token } from '../../domain/primitives.js'
import { createFunding } from '../../forks/tokens/funding.js'
import { createTokenAccess } from '../../forks/tokens/token-access.js'
import { withDeclaredVenues } from '../../protocols/declared/venue.js'
import type { Pool } from '../../protocols/pool.js'
import { oncePer } from '../../protocols/shared/once-per.js'
import { BlockFacts, type ThreadFacts, type TokenKnowledge } from './block-facts.js'
import { withFeesByOrder, withHooks } from './chain-with-settings.js'
import { createPoolIndex, type PoolIndex } from './indexed-market.js'
import type { WorkerSettings } from './worker-settings.js'

/** Blocks whose markets stay in memory; background work has as many of its own. */
const blocksKept = 8

export class WorkerContext implements ThreadFacts {
  readonly tokens: TokenKnowledge
  readonly catalog: Catalog
  /** Null: routes do without. */
  readonly poolIndex: PoolIndex | null
  readonly listedTokens: ReadonlyMap<string, Token>
  /** The chain with what settings add to its venues and leave out: one object, by which others keep what they make of it. */
  readonly #asSet = oncePer((chain: ChainDefinition) => {
    const { protocols, venues } = this.settings
    const known = withHooks(withProtocols(chain, protocols), this.settings)
    return withDeclaredVenues(withFeesByOrder(known, this.settings), venues)
  })
  readonly #blocks = new LRUCache<string, BlockFacts>({ max: blocksKept })
  readonly #passed = new LRUCache<string, BlockFacts>({ max: blocksKept })

  constructor(readonly settings: WorkerSettings) {
    this.tokens = this.#learnTokens()
    this.catalog = openCatalog(settings.dataDir, { readonly: true })
    this.poolIndex = settings.poolIndex ? createPoolIndex(settings) : null
    this.listedTokens = new Map(
      settings.tokens.map((token) => [tokenKey(token.chainId, token.address), token]),
    )
  }

  /** Pools of the sandbox that no look-up finds: they are on its Ethereum alone. */
  sandboxPoolsOf(chainId: number): readonly Pool[] {
    return chainId === ethereum.id ? (this.settings.sandboxPools ?? []) : []
  }

  /** Pools of the protocol that need no look-up: imported, discovered, or of the sandbox. */
  poolsOf(chainId: number, protocol: string): Pool[] {
    const own = this.sandboxPoolsOf(chainId).filter((pool) => pool.protocol === protocol)
    return [...own, ...this.catalog.poolsOf(chainId, protocol)]
  }

  /**
   * @param isBackground - the block does not evict one that live calls use.
   * @throws ForkrouteError UNKNOWN_CHAIN.
   */
  block(pin: BlockPin, isBackground = false): BlockFacts {
    // Nothing that one request changed is for another.
    if (pin.changes && !pin.changes.isShared) return this.#open(pin, this.#learnTokens())
    const key = stateKey(pin)
    const opened = this.#blocks.get(key) ?? this.#passed.get(key)
    const context = opened ?? this.#open(pin, pin.changes && this.#learnTokens())
    if (isBackground && !this.#blocks.has(key)) this.#passed.set(key, context)
    else this.#blocks.set(key, context)
    return context
  }

  #learnTokens(): TokenKnowledge {
    const funding = createFunding({ remembers: this.settings.cassette !== 'record' })
    return { funding, access: createTokenAccess() }
  }

  #open(pin: BlockPin, tokens?: TokenKnowledge): BlockFacts {
    const chain = chainById(pin.chainId)
    if (!chain) throw unknownChain(pin.chainId)
    return new BlockFacts(this.#asSet(chain), pin, this, tokens)
  }
}
