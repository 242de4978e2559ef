/**
 * Which routing thread takes a task: of those with the least to do the one that served its chain last, since each
 * thread holds the market of a block by itself. Pure but for what it remembers.
 */

export interface Thread {
  readonly id: number
  /** Tasks that it has. */
  readonly currentUsage: number
}

/** @param tasksPerThread - of which no thread gets more. */
export function createThreadChoice(tasksPerThread: number) {
  /** Thread by chain. */
  const served = new Map<number, number>()
  return <T extends Thread>(chainId: number | undefined, threads: readonly T[]): T | null => {
    const least = Math.min(...threads.map(({ currentUsage }) => currentUsage))
    if (least >= tasksPerThread) return null
    const idle = threads.filter(({ currentUsage }) => currentUsage === least)
    const own = chainId === undefined ? undefined : served.get(chainId)
    const taken = new Set(served.values())
    const chosen =
      idle.find(({ id }) => id === own) ?? idle.find(({ id }) => !taken.has(id)) ?? idle[0]
    if (!chosen) return null
    const isGone = !threads.some(({ id }) => id === own)
    if (chainId !== undefined && isGone) served.set(chainId, chosen.id)
    return chosen
  }
}
