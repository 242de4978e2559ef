/** docs/reference/coverage.md: which venue is on which chain, what its protocol's math was run against, and who states its addresses. */
import type { ChainDefinition } from '../../../src/chains/chain.js'
import type { ProtocolAdapter } from '../../../src/protocols/protocol.js'
import { checkPlaces } from './document.js'
import type { Statement } from './statements.js'

/** What a protocol's quotes and actions were carried out on. */
export interface Evidence {
  /**
   * `bytecode`: compiled contracts of their authors' packages, or compiled here from their sources; `arithmetic`:
   * contracts of ours with the same arithmetic and layout, since no package ships theirs.
   */
  readonly on: 'bytecode' | 'arithmetic'
  /** Files of tests. */
  readonly tests: readonly string[]
  /** Blocks of mainnet with its swaps, too. */
  readonly isOnMainnet?: true
  /** What was not. */
  readonly except?: string
}

const words: Readonly<Record<Evidence['on'], string>> = {
  bytecode: 'real bytecode',
  arithmetic: 'its source’s arithmetic',
}

/** @throws Error for a protocol without evidence, or on no chain. */
export function coverageTable(
  chains: readonly ChainDefinition[],
  protocols: readonly ProtocolAdapter[],
  evidence: Readonly<Record<string, Evidence>>,
  statements: readonly Statement[],
): string {
  const rows = protocols.flatMap(({ slug }) => {
    const of = evidence[slug]
    if (!of) throw new Error(`Nothing says what ${slug} was tested against.`)
    if (!chains.some(({ venues }) => venues[slug])) throw new Error(`${slug} is on no chain.`)
    const on = chains.flatMap((chain) => {
      if (!chain.venues[slug]) return []
      const places = checkPlaces(chain, statements).filter(({ path }) =>
        path.startsWith(`venues.${slug}.`),
      )
      const stated = places.filter(({ sources }) => sources.length > 0).length
      return [[chain.name, places.length === 0 ? 'none needed' : `${stated} of ${places.length}`]]
    })
    const except = of.except ? [`not: ${of.except}`] : []
    const tests = of.tests.map((file) => `\`${file}\``).join(', ')
    return on.map(([name, addresses]) => {
      const recorded = of.isOnMainnet && name === 'Ethereum' ? ['recorded swaps'] : []
      const how = [words[of.on], ...recorded, ...except].join('; ')
      return `| ${slug} | ${name} | ${how} | ${addresses} | ${tests} |`
    })
  })
  return [
    '| venue | chain | tested on | addresses stated by packages | tests |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
