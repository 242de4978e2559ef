/** What is asked of hindsight, as its form and the address have it. */

/** Blocks that the service answers at once; more of them are a job. */
const mostAtOnce = 20

export type Subject =
  | { readonly kind: 'transaction'; readonly hash: string }
  | {
      readonly kind: 'blocks'
      readonly fromBlock: number
      readonly toBlock: number
      /** Too many to be answered at once. */
      readonly isJob: boolean
    }

/** @param text - a hash, a block, or blocks as `from..to`. @returns null: it is none of these. */
export function readSubject(text: string): Subject | null {
  const words = text.trim()
  if (/^0x[0-9a-f]{64}$/i.test(words)) return { kind: 'transaction', hash: words.toLowerCase() }
  const [, first = '', last = first] = /^(\d{1,15})(?:\s*\.\.\s*(\d{1,15}))?$/.exec(words) ?? []
  const [fromBlock, toBlock] = [Number(first), Number(last)]
  if (first === '' || fromBlock < 1 || toBlock < fromBlock) return null
  return { kind: 'blocks', fromBlock, toBlock, isJob: toBlock - fromBlock >= mostAtOnce }
}
