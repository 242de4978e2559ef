/** Chains as users name them on the command line: by id, by name or by a usual short form. */
import { Option } from 'commander'
import type { ChainDefinition } from '../chains/chain.js'
import { chainById, chains } from '../chains/registry.js'
import { knownChains } from '../config/chains.js'
import { type Config, ConfigError } from '../config/config.js'
import { createUpstream, type Upstream } from '../rpc/node/upstream.js'

/** Short forms by chain id. The name of a chain and its first word need no entry. */
const shortForms: Readonly<Record<number, readonly string[]>> = {
  1: ['eth', 'mainnet'],
  10: ['optimism'],
  56: ['bsc', 'binance'],
  100: ['gno', 'xdai'],
  130: ['uni'],
  137: ['matic', 'pol'],
  42161: ['arb'],
  43114: ['avax'],
}

/** Ignores letter case, blanks, hyphens and underscores. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '')
}

function namesOf({ id, name }: { readonly id: number; readonly name: string }): string[] {
  const [firstWord = name] = name.split(' ')
  return [name, firstWord, ...(shortForms[id] ?? [])].map(plain)
}

/**
 * The id of a chain. An id that no file describes passes, since a service of elsewhere may serve that chain.
 * @param option - the option that has the text, such as --chain.
 * @throws ConfigError when the text is neither an id nor the name of a known chain.
 */
export function parseChain(option: string, text: string): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text)
  const chain = chains.find((one) => namesOf(one).includes(plain(text)))
  if (chain) return chain.id
  throw new ConfigError(
    [`${option}: no chain is called ${text}; known: ${knownChains}.`],
    'command line',
  )
}

/** The definition of the chain that --chain names. @throws ConfigError where no file describes it. */
export function knownChain(id: number): ChainDefinition {
  const chain = chainById(id)
  if (chain) return chain
  throw new ConfigError([`--chain: ${id} is not known here; ${knownChains} are.`], 'command line')
}

/** @throws ConfigError unless the text is a list of different chains. */
export function parseChains(text: string): number[] {
  const ids = text.split(',').map((part) => parseChain('--chains', part.trim()))
  if (new Set(ids).size === ids.length) return ids
  throw new ConfigError(
    ['--chains: must be different chains, comma-separated, such as ethereum,base.'],
    'command line',
  )
}

/** An option whose value is a chain: its id, once parsed. */
export function chainOption(description: string, name = '--chain'): Option {
  return new Option(`${name} <chain>`, description).argParser((text) => parseChain(name, text))
}

/** The option --chain of commands that are about Ethereum unless another chain is named. */
export function chainOrEthereum(description = 'name or id of the chain, such as base or 8453') {
  return chainOption(description).default(1, 'ethereum')
}

/** The id of a chain and its name, for sentences; the id alone where no file describes the chain. */
export function chainText(id: number): string {
  const chain = chainById(id)
  return chain ? `chain ${id} (${chain.name})` : `chain ${id}`
}

/** Nodes of the chain that a command asks by itself, without a service. */
export function upstreamOf(
  { id, wrappedNative }: ChainDefinition,
  { checkHeaderHashes, upstreamTimeoutMs }: Config,
  urls: readonly string[],
): Upstream {
  return createUpstream({
    chainId: id,
    urls,
    verifyHeaderHash: checkHeaderHashes,
    anchor: wrappedNative,
    timeoutMs: upstreamTimeoutMs,
  })
}
