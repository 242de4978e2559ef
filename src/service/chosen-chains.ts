/** Which chains a service serves, and by which nodes: those of the configuration, or those of a sandbox. */

import { type ChainDefinition, withProtocols } from '../chains/chain.js'
import { chainById } from '../chains/registry.js'
import type { Config } from '../config/config.js'
import type { DeclaredVenue } from '../domain/declared-venue.js'
import { defined } from '../domain/defined.js'
import { withDeclaredVenues } from '../protocols/declared/venue.js'
import type { Pool } from '../protocols/pool.js'

/** Chains and where their nodes are. */
export interface Chosen {
  readonly chains: readonly ChainDefinition[]
  readonly urls: Readonly<Record<number, readonly string[]>>
  readonly sandboxUrls: Readonly<Record<number, string>> | null
  /** Pools of the sandbox's Ethereum that cannot be discovered on the chain. */
  readonly sandboxPools: readonly Pool[]
}

/** Chooses the chains that the configuration names, or those of the sandbox. */
export async function chooseChains(
  config: Config,
  options: {
    readonly sandbox?: readonly SandboxNode[] | null | undefined
    readonly sandboxChains?: readonly number[] | 'all'
    onProgress?(message: string, fraction: number): void
  },
  closers: (() => unknown)[],
): Promise<Chosen> {
  const ids = Object.keys(config.rpcUrls).map(Number)
  if (ids.length) {
    const chains = servedChains(ids, config)
    return { chains, urls: config.rpcUrls, sandboxUrls: null, sandboxPools: [] }
  }
  const nodes = options.sandbox ?? (await startOwnSandbox(config, options, closers))
  // Loaded on demand: a service with nodes configured never runs any of it.
  const [{ sandboxPools }, { sandboxVenuePools }] = await Promise.all([
    import('../sandbox/market/catalog.js'),
    import('../sandbox/venues/registry.js'),
  ])
  const hasEthereum = nodes.some(([chainId]) => chainId === 1)
  return {
    chains: servedChains(
      nodes.map(([chainId]) => chainId),
      config,
    ),
    urls: Object.fromEntries(nodes.map(([chainId, url]) => [chainId, [url]])),
    sandboxUrls: Object.fromEntries(nodes),
    sandboxPools: hasEthereum ? [...sandboxPools(), ...sandboxVenuePools()] : [],
  }
}

/** The known ones of the chains, with the venues that the operator declares, and with those alone of the protocols and bridges that are known. */
export function servedChains(
  ids: readonly number[],
  {
    venues,
    protocols,
  }: { readonly venues: readonly DeclaredVenue[]; readonly protocols?: readonly string[] },
): ChainDefinition[] {
  return ids.flatMap((id) => {
    const chain = chainById(id)
    return chain ? [withDeclaredVenues(withProtocols(chain, protocols), venues)] : []
  })
}

/** One chain of the sandbox, and the URL of its node. */
export type SandboxNode = readonly [number, string]

/** The sandbox of a service that is given no nodes. */
export async function startOwnSandbox(
  config: Pick<Config, 'sandboxChains'>,
  options: {
    readonly sandboxChains?: readonly number[] | 'all'
    onProgress?(message: string, fraction: number): void
  },
  closers: (() => unknown)[],
): Promise<SandboxNode[]> {
  const [{ startSandboxes }, { sandboxChainIds }] = await Promise.all([
    import('../sandbox/sandbox.js'),
    import('../sandbox/plans/registry.js'),
  ])
  const wanted = config.sandboxChains ?? options.sandboxChains ?? [1]
  const sandboxes = await startSandboxes(wanted === 'all' ? sandboxChainIds : wanted, {
    ...defined({ onProgress: options.onProgress }),
  })
  closers.push(() => Promise.all(sandboxes.map((sandbox) => sandbox.stop())))
  return sandboxes.map(({ chainId, url }) => [chainId, url] as const)
}
