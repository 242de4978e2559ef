/** Pools that a question leaves out. */
import { goOn } from '../app/router.js'
import { Address } from '../components/amount.js'
import { excludedPools, type Question } from './question.js'

/** Asks again without a pool. */
export function excludePool(question: Question, pool: string): void {
  goOn({ exclude: [...new Set([...excludedPools(question), pool])].join(',') })
}

/** What the question leaves out, each to be taken back. */
export function Excluded({ question }: { readonly question: Question }) {
  const pools = excludedPools(question)
  if (pools.length === 0) return null
  const without = (pool: string) => pools.filter((one) => one !== pool).join(',')
  return (
    <div class="row">
      <span class="dim">Excluded pools:</span>
      {pools.map((pool) => (
        <button
          key={pool}
          type="button"
          class="quiet"
          onClick={() => goOn({ exclude: without(pool) })}
          aria-label={`Use ${pool} again`}
        >
          <Address value={pool} /> ✕
        </button>
      ))}
    </div>
  )
}
