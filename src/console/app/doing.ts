/** Something that a person sets off: under way, done, or refused. */
import { useState } from 'preact/hooks'
import { client, noteRefusal } from './session.js'

type Client = typeof client.value

export interface Doing<T> {
  readonly value: T | null
  readonly error: unknown
  readonly isBusy: boolean
  start(work: (client: Client) => Promise<T>): Promise<void>
  /** Forgets what came of it. */
  clear(): void
}

const idle = { value: null, error: null, isBusy: false }

/** @param onDone - after each that went well. */
export function useDoing<T>(onDone?: (value: T) => void): Doing<T> {
  const [state, setState] = useState<Pick<Doing<T>, 'value' | 'error' | 'isBusy'>>(idle)
  return {
    ...state,
    clear: () => setState(idle),
    async start(work) {
      setState({ ...idle, isBusy: true })
      try {
        const value = await work(client.peek())
        setState({ ...idle, value })
        onDone?.(value)
      } catch (error) {
        noteRefusal(error)
        setState({ ...idle, error })
      }
    },
  }
}
