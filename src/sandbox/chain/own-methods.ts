/** Methods of the sandbox's JSON-RPC nodes that no Anvil has: they are answered where all chains are known. */
import { JsonRpcError } from '../../rpc/node/json-rpc.js'

/** What the node asks of whoever started it, and the answer. */
export interface OwnQuestion {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}
export interface OwnAnswer {
  readonly id: number
  readonly result?: unknown
  /** A sentence. */
  readonly error?: string
}

export const ownPrefix = 'sandbox_'
/** Takes CCTP's number of the source and the hash of a transaction. */
export const attestationsMethod = `${ownPrefix}attestations`

const invalidParams = -32602

/** Carries questions out and answers back; both sides are structured-cloned. */
export function createOwnMethods(post: (question: OwnQuestion) => void) {
  const waiting = new Map<number, (answer: OwnAnswer) => void>()
  let nextId = 1
  return {
    async ask(method: string, params: unknown): Promise<unknown> {
      const id = nextId++
      const answered = new Promise<OwnAnswer>((resolve) => waiting.set(id, resolve))
      post({ id, method, params: Array.isArray(params) ? params : [] })
      const { result, error } = await answered
      if (error !== undefined) throw new JsonRpcError(invalidParams, error)
      return result
    },
    answer(answer: OwnAnswer): void {
      waiting.get(answer.id)?.(answer)
      waiting.delete(answer.id)
    },
  }
}
