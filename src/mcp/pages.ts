/** Documents that a model may read: those about asking, not about running or changing the service. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { packageFolder } from '../platform/package-folder.js'

/** Keyed by the name of the file in docs/. */
const about: Readonly<Record<string, string>> = {
  api: 'Every endpoint, its parameters, answers and errors.',
  errors: 'Codes of errors, and whether repeating helps.',
  bundles: 'Several actions as one transaction: references, minimums, flash loans.',
  'exact-output': 'The least input for a wanted output.',
  explain: 'Candidates, reasons, and why this route.',
  traces: 'Calls and payments of a transaction.',
  'what-if': 'Answers on changed state.',
  blocks: 'What can be asked at past blocks.',
  permits: 'Signatures in place of approvals.',
  'pool-choice': 'Leaving out pools, tokens and protocols.',
  crosschain: 'Routes over bridges, and tracking them.',
  prices: 'Where prices come from.',
  protocols: 'Protocols with what was carried out of each.',
  executor: 'The contracts that run an order, and what is trusted.',
  backtests: 'Plans over past blocks.',
  'backtest-report': 'What the figures of a backtest mean.',
  glossary: 'The words of this field as they are used here.',
}

export interface Page {
  readonly name: string
  readonly about: string
}

const fileOf = (name: string) => join(packageFolder, 'docs', `${name}.md`)

/** The pages whose files exist: an image may have been built without documents. */
export function listPages(): readonly Page[] {
  return Object.entries(about).flatMap(([name, text]) =>
    existsSync(fileOf(name)) ? { name, about: text } : [],
  )
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
  if (!Object.hasOwn(about, name) || !existsSync(fileOf(name))) return null
  return readFileSync(fileOf(name), 'utf8')
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
