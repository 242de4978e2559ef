/** Documents that a model may read: those about asking, not about running or changing the service. */
import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packageFolder } from '../platform/package-folder.js'

/** Keyed by the path of the file in docs/; a model knows a page by the name of the file alone. */
const about: Readonly<Record<string, string>> = {
  'reference/api': 'Every endpoint, its parameters, answers and errors.',
  'reference/errors': 'Codes of errors, and whether repeating helps.',
  'how-to/bundles': 'Several actions as one transaction: references, minimums, flash loans.',
  'how-to/exact-output': 'The least input for a wanted output.',
  'how-to/alternatives': 'The next best transactions beside the best.',
  'how-to/explain': 'Candidates, reasons, and why this route.',
  'how-to/traces': 'Calls and payments of a transaction.',
  'how-to/evidence': 'Files that prove an answer to others.',
  'how-to/what-if': 'Answers on changed state.',
  'how-to/blocks': 'What can be asked at past blocks.',
  'how-to/permits': 'Signatures in place of approvals.',
  'how-to/pool-choice': 'Leaving out pools, tokens and protocols.',
  'explanation/crosschain': 'Routes over bridges, and tracking them.',
  'explanation/prices': 'Where prices come from.',
  'reference/protocols': 'Protocols with what was carried out of each.',
  'explanation/executor': 'The contracts that run an order, and what is trusted.',
  'how-to/backtests': 'Plans over past blocks.',
  'how-to/backtest-report': 'What the figures of a backtest mean.',
  'reference/glossary': 'The words of this field as they are used here.',
}

export interface Page {
  /** Name of the file without its folder and ending. */
  readonly name: string
  /** Within the package: `docs/how-to/bundles.md`. */
  readonly path: string
  readonly about: string
}

const pages: ReadonlyMap<string, Page> = new Map(
  Object.entries(about).map(([path, text]) => {
    const name = basename(path)
    return [name, { name, path: `docs/${path}.md`, about: text }]
  }),
)

/** The pages whose files exist: an image may have been built without documents. */
export function listPages(): readonly Page[] {
  return [...pages.values()].filter(({ path }) => existsSync(join(packageFolder, path)))
}

/** Bytes of a page that is given whole; of a longer one, the beginning and the names of its sections. */
const mostBytes = 40_000

/** Null: there is no such page. */
export function readPage(name: string): string | null {
  const sections = sectionsOf(name)
  if (!sections) return null
  const whole = sections.map(({ text }) => text).join('')
  if (Buffer.byteLength(whole) <= mostBytes) return whole
  const [first, ...others] = sections
  const list = others.map(({ slug, title }) => `- ${title}: forkroute://docs/${name}/${slug}`)
  return `${first?.text}## Sections\n\n${list.join('\n')}\n`
}

/** A section by the anchor of its heading; null: there is none. */
export function readSection(name: string, slug: string): string | null {
  return sectionsOf(name)?.find((section) => section.slug === slug)?.text ?? null
}

interface Section {
  readonly slug: string
  readonly title: string
  readonly text: string
}

/** What comes before the first heading of the second level is the first. */
function sectionsOf(name: string): readonly Section[] | null {
  const page = pages.get(name)
  if (!page || !existsSync(join(packageFolder, page.path))) return null
  return readFileSync(join(packageFolder, page.path), 'utf8')
    .split(/^(?=## )/m)
    .map((text) => {
      const title = /^## (.*)/.exec(text)?.[1] ?? ''
      return { title, slug: slugOf(title), text }
    })
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .replaceAll(' ', '-')
}
