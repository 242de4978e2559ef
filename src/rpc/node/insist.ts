/** Sends requests again that have no clear answer. */
import type { NodeRequest, Outcome } from './node-request.js'

/**
 * @param parts.attempts - in all.
 * @param parts.mayGoOn - asked before each further attempt.
 * @returns outcomes in the order of the requests, the last of each.
 */
export async function insist(
  requests: readonly NodeRequest[],
  parts: {
    /** @param isAgain - they were sent before. */
    readonly send: (requests: readonly NodeRequest[], isAgain: boolean) => Promise<Outcome[]>
    readonly attempts: number
    readonly mayGoOn: () => boolean
  },
): Promise<Outcome[]> {
  let outcomes = await parts.send(requests, false)
  for (let attempt = 1; attempt < parts.attempts; attempt += 1) {
    const again = requests.filter((_, index) => isOpen(outcomes[index]))
    if (again.length === 0 || !parts.mayGoOn()) break
    const answers = (await parts.send(again, true)).values()
    outcomes = outcomes.map((one) => (isOpen(one) ? (answers.next().value ?? one) : one))
  }
  return outcomes
}

function isOpen(outcome: Outcome | undefined): boolean {
  return outcome?.kind === 'failed' || outcome?.kind === 'odd'
}
