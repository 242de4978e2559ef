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
  for (const path of mostOutput(paths, plainBest)) take(path)
  const swaps = (path: Path) => path.hops.filter((hop) => hop.kind === 'swap')
  for (const path of paths) if (swaps(path).length === 1) take(path)
  const covered = new Set([...chosen.values()].flatMap((path) => swaps(path).map(hopKey)))
  for (const path of paths) {
    if (chosen.size >= count) break
    const keys = swaps(path).map(hopKey)
    if (keys.every((key) => covered.has(key))) continue
    take(path)
    for (const key of keys) covered.add(key)
  }
  for (const path of paths) take(path)
  return [...chosen.values()]
}

/** The `count` paths of the highest output, best first. */
function mostOutput(paths: readonly Path[], count: number): Path[] {
  const best: Path[] = []
  for (const path of paths) {
    const last = best[count - 1]
    if (last && byOutput(last, path) < 0) continue
    best.push(path)
    best.sort(byOutput).splice(count)
  }
  return best
}

function byOutput(a: Path, b: Path): number {
  if (a.amountOut === b.amountOut) return byKey(a, b)
  return a.amountOut > b.amountOut ? -1 : 1
}
