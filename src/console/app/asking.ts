/** A question to the service as a state of a component: it is asked again when it changes, and given up when nobody waits for it. */
import { useCallback, useEffect, useState } from 'preact/hooks'
import { client, key, noteRefusal } from './session.js'

type Client = typeof client.value

export interface Asked<T> {
  /** The latest answer, also while the next is awaited. */
  readonly value: T | null
  readonly error: unknown
  readonly isBusy: boolean
  readonly milliseconds: number | null
  again(): void
}

/**
 * @param question - null: nothing to ask. Asked again when `what` changes.
 * @param what - the question in words that compare.
 */
export function useAsked<T>(
  what: string | null,
  question: (client: Client, signal: AbortSignal) => Promise<T>,
): Asked<T> {
  const [state, setState] = useState<Omit<Asked<T>, 'again'>>(nothing)
  const [turn, setTurn] = useState(0)
  const again = useCallback(() => setTurn((now) => now + 1), [])
  const whose = key.value
  useEffect(() => {
    if (what === null) {
      setState(nothing)
      return
    }
    const left = new AbortController()
    const start = performance.now()
    setState((now) => ({ ...now, isBusy: true }))
    const done = (part: Pick<Asked<T>, 'value' | 'error'>) => {
      if (left.signal.aborted) return
      setState({ ...part, isBusy: false, milliseconds: performance.now() - start })
    }
    question(client.peek(), left.signal).then(
      (value) => done({ value, error: null }),
      (error: unknown) => {
        if (!left.signal.aborted) noteRefusal(error)
        done({ value: null, error })
      },
    )
    return () => left.abort()
  }, [what, whose, turn])
  return { ...state, again }
}

const nothing = { value: null, error: null, isBusy: false, milliseconds: null }
