/** Variables of the environment that exist once per chain. */
import { chainById, chains } from '../chains/registry.js'

/** Keyed by the prefix that stands before the chain id. */
export const chainVariables = {
  RPC_URL_:
    'Node URLs of a chain, comma-separated, in order of preference. None at all: the sandbox plays the chains.',
  STATE_OVERLAY_:
    "Where the state is published that makers will have written in a chain's next block: a file, or a URL of http(s) or ws(s). See docs/how-to/overlays.md. Default: nowhere.",
  TRUSTED_BLOCK_:
    'The number and the hash of a block, joined by a colon. All others are tied to it by the hashes of their parents (docs/how-to/rpc.md#proven-state).',
  PRIORITY_FEE_WEI_:
    "Wei per gas that a sender adds to the base fee: simulated transactions pay it, and gas is valued with it. Default: the chain's own figure.",
} as const
type ChainVariable = keyof typeof chainVariables

/** Ids and names of all chains, for sentences. */
export const knownChains = chains.map((chain) => `${chain.id} (${chain.name})`).join(', ')

/** Variables that exist once per chain: `<prefix><chain id>`. */
export function perChain<T>(
  env: Readonly<Record<string, string>>,
  prefix: ChainVariable,
  problems: string[],
  parse: (text: string) => T | string,
): Record<number, T> {
  const found: Record<number, T> = {}
  for (const [name, text] of Object.entries(env)) {
    if (!name.startsWith(prefix)) continue
    const id = name.slice(prefix.length)
    if (!/^[1-9]\d{0,14}$/.test(id)) {
      problems.push(`${name}: must end in a chain id, such as ${prefix}1.`)
      continue
    }
    if (!chainById(Number(id))) {
      problems.push(`${name}: the chain ${id} is not known here; ${knownChains} are.`)
      continue
    }
    const value = parse(text)
    if (typeof value === 'string') problems.push(`${name}: ${value}.`)
    else found[Number(id)] = value
  }
  return found
}
