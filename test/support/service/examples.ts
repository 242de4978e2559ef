/** Requests, answers, plans and commands as pages of docs show them. A page is its path there, without the ending. */
import { readFileSync } from 'node:fs'

export interface Example {
  readonly path: string
  readonly query: Record<string, string>
  /** Of a POST; undefined: it is a GET. */
  readonly body: unknown
  readonly shown: unknown
}

/** Each request of the page, and the answer below it. */
export function examplesOf(page: string): Example[] {
  const pattern = /```http\n(?:GET|POST) (\S+)\n(?:\n([^`]*))?```[^`]*```json\n([^`]*)```/g
  return [...pageOf(page).matchAll(pattern)].map(([, target = '', body, answer = '']) => {
    const { pathname, searchParams } = new URL(target, 'http://localhost')
    return {
      path: pathname,
      query: Object.fromEntries(searchParams),
      body: body === undefined ? undefined : JSON.parse(body),
      shown: JSON.parse(answer),
    }
  })
}

/** Arguments of each command line that the page shows in a block of its own. */
export function commandsOf(page: string): string[][] {
  const lines = pageOf(page).matchAll(/```sh\nforkroute (.+)\n```/g)
  return [...lines].map(([, line = '']) => line.split(' '))
}

/** The page's first plan of a backtest. */
export function planOf(page: string): string {
  const [, plan = ''] = /```yaml\n([^`]*)```/.exec(pageOf(page)) ?? []
  return plan
}

/** Rows of the page's tables as the command line prints them, without their headings. */
export function printedRowsOf(page: string): string[][] {
  const lines = pageOf(page)
    .split('\n')
    .filter((line) => line.startsWith('│'))
  return lines.slice(1).map((line) =>
    line
      .split('│')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

function pageOf(page: string): string {
  return readFileSync(new URL(`../../../docs/${page}.md`, import.meta.url), 'utf8')
}

/** What is shown of a list are its first items. */
export function partsShown(shown: unknown, given: unknown): unknown {
  if (Array.isArray(shown) && Array.isArray(given)) {
    return shown.map((item, index) => partsShown(item, given[index]))
  }
  if (shown && given && typeof shown === 'object' && typeof given === 'object') {
    const fields = new Map(Object.entries(given))
    return Object.fromEntries(
      Object.entries(shown).map(([key, value]) => [key, partsShown(value, fields.get(key))]),
    )
  }
  return given
}
