/**
 * Where the reader is: a view and its whole question, in the fragment of the address. A fragment is never sent, so what
 * somebody looks at stays in the browser, and a link repeats it.
 */
import { signal } from '@preact/signals'

export interface Place {
  readonly view: string
  readonly query: URLSearchParams
}

function read(): Place {
  const [view = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?')
  return { view: view || 'route', query: new URLSearchParams(query) }
}

export const place = signal<Place>(read())
addEventListener('hashchange', () => {
  place.value = read()
})

export type Query = Readonly<Record<string, string | null | undefined>>

/** Empty values are left out. */
export function hrefOf(view: string, query: Query = {}): string {
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []))
  const text = new URLSearchParams(given).toString()
  return `#/${view}${text && `?${text}`}`
}

export function go(view: string, query: Query = {}): void {
  location.hash = hrefOf(view, query)
}

/** The present question with some parts changed. */
export function goOn(changes: Query): void {
  const { view, query } = place.peek()
  go(view, { ...Object.fromEntries(query), ...changes })
}
