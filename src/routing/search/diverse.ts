/** Which of the paths that a search found are simulated. Pure. */
import { hopKey } from './hop.js'
import { byKey, type Path } from './path.js'

/** Candidates that are chosen by output before gas. */
const plainBest = 3

/**
 * Chooses the candidates to simulate: the best by rank, those of the highest output before gas (gas is only
 * estimated), every direct pool, and paths over pools that the others do not use, so that one unreadable or deceptive
 * pool cannot spoil them all.
 *
 * @param paths - best first.
 * @param count - the most to choose.
 */
export function selectDiverse(paths: readonly Path[], count: number): Path[] {
  const chosen = new Map<string, Path>()
  const take = (path: Path) => {
    if (chosen.size < count) chosen.set(path.key, path)
  }
  for (const path of paths.slice(0, Math.ceil(count / 2))) take(path)
  const byOutput = paths.toSorted((a, b) =>
    a.amountOut === b.amountOut ? byKey(a, b) : a.amountOut > b.amountOut ? -1 : 1,
  )
  for (const path of byOutput.slice(0, plainBest)) take(path)
  const swaps = (path: Path) => path.hops.filter((hop) => hop.kind === 'swap')
  for (const path of paths.filter((each) => swaps(each).length === 1)) take(path)
  if (chosen.size === count) return [...chosen.values()]
  const covered = new Set([...chosen.values()].flatMap((path) => swaps(path).map(hopKey)))
  for (const path of paths) {
    if (chosen.size === count) break
    if (swaps(path).every((hop) => covered.has(hopKey(hop)))) continue
    take(path)
    for (const hop of swaps(path)) covered.add(hopKey(hop))
  }
  for (const path of paths) take(path)
  return [...chosen.values()]
}
