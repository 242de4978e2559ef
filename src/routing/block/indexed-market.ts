/**
 * The market of a block with the pools of the index: what the index names for a request, the best of it by how deep it
 * is at the block, and what is said where the index does not reach the block. Recordings keep what was chosen.
 */
import { z } from 'zod'
import { type ChainDefinition, canonicalToken } from '../../chains/chain.js'
import { type Address, type BlockPin, nativeToken } from '../../domain/primitives.js'
import type { StateReader } from '../../domain/state.js'
import { type IndexAnswer, type IndexReader, openIndexReader } from '../../pool-index/lookup.js'
import { sourcesOf } from '../../pool-index/sources.js'
import type { Pool } from '../../protocols/pool.js'
import { protocols } from '../../protocols/registry.js'
import { quietly } from '../../telemetry/quietly.js'
import { type ChosenPools, chooseIndexed, type Ends } from '../market/indexed.js'
import type { Market } from '../market/market.js'
import { type MarketPool, MarketView } from '../market/market-view.js'
import type { WorkerSettings } from './worker-settings.js'

export interface PoolIndex {
  readonly settings: WorkerSettings
  /** Null: no chain was indexed yet, or a replay. */
  reader(): IndexReader | null
}

export function createPoolIndex(settings: WorkerSettings): PoolIndex {
  const dataDir = settings.poolIndex?.dataDir ?? null
  let opened: IndexReader | null = null
  return {
    settings,
    reader() {
      if (dataDir !== null) opened ??= openIndexReader(dataDir)
      return opened
    },
  }
}

/** What was taken of the index. */
export interface Chosen extends ChosenPools {
  /** Null: the index knows nothing of the chain. */
  readonly upTo: bigint | null
}

const Note = z.object({
  upTo: z.string().nullable(),
  pools: z.array(
    z.object({
      protocol: z.string(),
      id: z.string(),
      address: z.custom<Address>((value) => typeof value === 'string'),
      tokens: z.array(z.custom<Address>((value) => typeof value === 'string')),
      parameters: z.record(
        z.string(),
        z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]),
      ),
    }),
  ),
  unreadable: z.array(z.object({ protocol: z.string(), subject: z.string(), message: z.string() })),
})

interface Wrapper {
  readonly protocol: string
  readonly factories: readonly Address[]
}

export class IndexedMarket {
  /** While the index is behind the block it goes on, so what was chosen is kept with how far it was. */
  readonly #chosen = new Map<string, Promise<Chosen>>()
  readonly #views = new Map<string, { readonly base: MarketView; readonly view: MarketView }>()
  readonly #hasSources: boolean
  readonly #sources: readonly string[]
  readonly #known: readonly Address[]
  /** Whose pools are wrapped forms of tokens. */
  readonly #wrappers: readonly Wrapper[]
  /** Of tokens that events do not tell. */
  readonly #standIns: readonly Address[]
  /** Protocols that have such. */
  readonly #incomplete: ReadonlySet<string>
  readonly #worth = new Map<Address, Promise<readonly MarketPool[]>>()

  constructor(
    private readonly parts: {
      readonly chain: ChainDefinition
      readonly pin: BlockPin
      readonly market: Market
      readonly index: PoolIndex
    },
  ) {
    this.#sources = sourcesOf(parts.chain).sources.flatMap(({ key, onlyListed }) =>
      onlyListed ? [] : key,
    )
    this.#hasSources = this.#sources.length > 0
    const standIns = protocols.flatMap(({ slug, index }) => {
      const venue = parts.chain.venues[slug]
      return ((venue && index?.standIns?.(venue)) ?? []).map((token) => ({ slug, token }))
    })
    this.#wrappers = protocols.flatMap(({ slug, index }) => {
      const venue = parts.chain.venues[slug]
      const factories = (venue && index?.wrappers?.(venue)) ?? []
      return factories.length > 0 ? [{ protocol: slug, factories }] : []
    })
    this.#standIns = standIns.map(({ token }) => token)
    this.#incomplete = new Set(standIns.map(({ slug }) => slug))
    const { id, connectorTokens, stableAnchors, wrappedNative } = parts.chain
    this.#known = [
      ...[...connectorTokens, ...stableAnchors, wrappedNative, nativeToken],
      ...parts.index.settings.tokens.flatMap(({ chainId, address }) =>
        chainId === id ? address : [],
      ),
    ]
  }

  /** For equal arguments and an index that is not behind the same object. */
  async view(reader: StateReader, base: Promise<MarketView>, ends: Ends): Promise<MarketView> {
    if (!this.#hasSources) return base
    void quietly(base, 'Where the index fails first, its error is told and not this one.')
    const name = JSON.stringify([ends.tokensIn, ends.tokensOut, ends.maxHops])
    const chosen = await this.#choose(reader, name, ends)
    const key = `${name} ${chosen.upTo}`
    const cached = this.#views.get(key)
    if (cached && cached.base === (await base)) return cached.view
    const [plain, merged] = await Promise.all([
      base,
      this.parts.market.withIndexed(reader, base, chosen, this.#trusted(ends, chosen)),
    ])
    const notes = this.#notesOn(chosen.upTo)
    const view = new MarketView(notes.length > 0 ? { ...merged, notes } : merged)
    this.#views.set(key, { base: plain, view })
    return view
  }

  /** Pools that may tell what a token is worth, of protocols whose events do not tell all tokens: the same for equal tokens. */
  worthOf(reader: StateReader, token: Address): Promise<readonly MarketPool[]> {
    if (this.#standIns.length === 0) return Promise.resolve([])
    const known = this.#worth.get(token)
    if (known) return known
    const worth = this.#readWorth(reader, token)
    this.#worth.set(token, worth)
    worth.catch(() => this.#worth.delete(token))
    return worth
  }

  async #readWorth(reader: StateReader, token: Address): Promise<readonly MarketPool[]> {
    const chosen = await this.#chooseWorth(reader, token)
    if (chosen.pools.length === 0) return []
    const nothing = Promise.resolve(new MarketView({ pools: [], unreadable: [] }))
    const trusted = this.#trusted({ tokensIn: [token], tokensOut: [], maxHops: 1 }, chosen)
    return (await this.parts.market.withIndexed(reader, nothing, chosen, trusted)).pools
  }

  async #chooseWorth(reader: StateReader, token: Address): Promise<Chosen> {
    const { chain, pin, index } = this.parts
    const name = `worth of ${token}`
    if (index.settings.cassette === 'replay') return recall(reader, name)
    // With three hops, one more token may stand between it and the stand-ins.
    const ends = { tokensIn: [token], tokensOut: [], maxHops: 3 }
    const found = index.reader()?.find(pin, {
      sources: this.#sources,
      tokensIn: [[token]],
      tokensOut: [],
      connectors: this.#standIns.map((standIn) => [standIn]),
      maxHops: ends.maxHops,
      gates: [],
      runsHooks: false,
    })
    const pools = found?.pools.filter(({ protocol }) => this.#incomplete.has(protocol)) ?? []
    if (!found || pools.length === 0) return { pools: [], unreadable: [], upTo: null }
    const best = await chooseIndexed({ chain, protocols, reader }, { pools, hooked: [] }, ends)
    const chosen = { ...best, upTo: found.upTo }
    if (index.settings.cassette === 'record') await remember(reader, name, chosen)
    return chosen
  }

  async #choose(reader: StateReader, name: string, ends: Ends): Promise<Chosen> {
    const { pin, index } = this.parts
    const isReplay = index.settings.cassette === 'replay'
    const upTo = isReplay ? null : (index.reader()?.upTo(pin, this.#sources) ?? null)
    const key = `${name} ${upTo}`
    const cached = this.#chosen.get(key)
    if (cached) return cached
    const choosing = isReplay
      ? recall(reader, name)
      : this.#rank(reader, name, ends, this.#find(ends))
    this.#chosen.set(key, choosing)
    choosing.catch(() => this.#chosen.delete(key))
    return choosing
  }

  async #rank(
    reader: StateReader,
    name: string,
    ends: Ends,
    { upTo, ...found }: IndexAnswer,
  ): Promise<Chosen> {
    const { chain, index } = this.parts
    const best = await chooseIndexed({ chain, protocols, reader }, found, ends)
    const chosen = { ...best, upTo }
    if (index.settings.cassette === 'record') await remember(reader, name, chosen)
    return chosen
  }

  #find({ tokensIn, tokensOut, maxHops }: Ends): IndexAnswer {
    const { chain, pin, index } = this.parts
    const reader = index.reader()
    if (!reader) return { upTo: null, pools: [], hooked: [] }
    const spellings = (tokens: readonly Address[]) =>
      [...new Set(tokens.map((token) => canonicalToken(chain, token)))].map((token) =>
        token === chain.wrappedNative ? [token, nativeToken] : [token],
      )
    const wrapped = maxHops < 2 ? [] : this.#wrappedForms(reader, [...tokensIn, ...tokensOut])
    const withForms = (tokens: readonly Address[]) =>
      spellings(tokens).map((group) => [
        ...group,
        ...wrapped.flatMap(({ address, tokens: [token] }) =>
          token && group.includes(token) ? address : [],
        ),
      ])
    const found = reader.find(pin, {
      sources: this.#sources,
      tokensIn: withForms(tokensIn),
      tokensOut: withForms(tokensOut),
      connectors: spellings([...chain.connectorTokens, chain.wrappedNative, ...this.#standIns]),
      maxHops,
      gates: index.settings.v4HooksAllowlist ?? [],
      runsHooks: index.settings.v4Hooks === 'run',
    })
    if (wrapped.length === 0) return found
    const forms = new Set(wrapped.map(({ id }) => id))
    return { ...found, pools: found.pools.filter(({ id }) => !forms.has(id)), wrapped }
  }

  #wrappedForms(reader: IndexReader, tokens: readonly Address[]): readonly Pool[] {
    const ends = new Set(tokens.map((token) => canonicalToken(this.parts.chain, token)))
    return this.#wrappers
      .flatMap((wrapper) => reader.madeBy(this.parts.pin, this.#sources, wrapper))
      .filter(({ address, tokens: [token] }) => token && ends.has(token) && !ends.has(address))
  }

  /**
   * The operator chose the lists, so whoever made a token of theirs is no stranger. Nor is a factory of a protocol that made a
   * wrapped form of a token of the ends.
   */
  #trusted({ tokensIn, tokensOut }: Ends, { pools }: Chosen): ReadonlySet<Address> {
    const forms = pools.flatMap(({ protocol, address, parameters }) =>
      this.#wrappers.some(
        (one) => one.protocol === protocol && one.factories.some((by) => by === parameters.factory),
      )
        ? address
        : [],
    )
    return new Set([...this.#known, ...tokensIn, ...tokensOut, ...forms])
  }

  #notesOn(upTo: bigint | null): readonly string[] {
    const { number } = this.parts.pin
    if (upTo === null) return ['The pool index holds nothing of this chain: pools are looked up.']
    if (upTo >= number) return []
    return [
      `The pool index has reached block ${upTo}, which is ${number - upTo} before this one: pools made since are looked up.`,
    ]
  }
}

/** Keeps in a recording what was chosen. */
export async function remember(reader: StateReader, name: string, chosen: Chosen): Promise<void> {
  const text = JSON.stringify({ ...chosen, upTo: chosen.upTo?.toString() ?? null })
  await reader.notes?.put(noteName(name), text)
}

/** What a recording chose; nothing where it holds none. */
export async function recall(reader: StateReader, name: string): Promise<Chosen> {
  const text = await reader.notes?.get(noteName(name))
  if (!text) return { upTo: null, pools: [], unreadable: [] }
  const { upTo, ...chosen } = Note.parse(JSON.parse(text))
  return { ...chosen, upTo: upTo === null ? null : BigInt(upTo) }
}

function noteName(name: string): string {
  return `pool-index ${name}`
}
