/** The table of docs/explanation/architecture.md: what was measured at 0d5d1000, what is today, and what is aimed at. */
import type { CountedByHand } from './by-hand.js'
import type { Figures } from './measure.js'
import { withoutReason } from './module-state.js'

const veryLong = 150

/** In the order of the table: the figures that a machine counts, as text. */
export function counted(figures: Figures): readonly string[] {
  return machineRows.map(({ of }) => of(figures))
}

interface MachineRow {
  readonly what: string
  /** What the reader of 0d5d1000 stated, where it differs from what the rule counts there. */
  readonly stated?: string
  readonly aim: string
  of(figures: Figures): string
}

/**
 * Sizes are rounded, so that the document is no older for each line that is added. Names of the longest and fullest are
 * printed and not written.
 */
const machineRows: readonly MachineRow[] = [
  {
    what: 'source files, in tens; lines of them, in thousands',
    aim: '',
    of: ({ files, lines }) => `${Math.round(files / 10) * 10}; ${Math.round(lines / 1_000)}`,
  },
  {
    what: 'functions over 100 / 150 lines',
    stated: '37 / 13',
    aim: '5 / 0',
    of: ({ longFunctions }) =>
      `${longFunctions.length} / ${longFunctions.filter(({ lines }) => lines > veryLong).length}`,
  },
  {
    what: 'lines of the longest function',
    aim: '150',
    of: ({ longFunctions }) => String(longFunctions[0]?.lines ?? 0),
  },
  {
    what: 'functions with more than four parameters',
    aim: '0',
    of: ({ manyParameters }) => String(manyParameters.length),
  },
  {
    what: 'loose files at the root of src',
    stated: '20',
    aim: '0',
    of: ({ loose }) => String(loose),
  },
  {
    what: 'spreads without effect, `...{ a, b }`',
    stated: '221',
    aim: '0',
    of: ({ idleSpreads }) => String(idleSpreads),
  },
  {
    what: 'conditional spreads, `...(a && { b })`',
    stated: '312',
    aim: '0',
    of: ({ conditionalSpreads }) => String(conditionalSpreads),
  },
  {
    what: 'comments that begin with "Of", "As", "By", "Those", "That of" and have no verb',
    stated: 'about 500',
    aim: '0',
    of: ({ fragments }) => String(fragments),
  },
  {
    what: 'module-level collections and variables that functions change, but for those with a reason',
    stated: '17',
    aim: '0',
    of: ({ moduleCaches }) => String(withoutReason(moduleCaches).length),
  },
  {
    what: 'functions that return an object with methods / classes that are no errors',
    stated: '127 / 16',
    aim: '',
    of: ({ factories, classes }) => `${factories} / ${classes}`,
  },
  {
    what: '`.catch(() => undefined)`',
    aim: '0',
    of: ({ ignoredErrors }) => String(ignoredErrors),
  },
  {
    what: 'files that declare `chunksOf` / `compare` / `guarded` / `migrate`',
    aim: '1 / 1 / 1 / 1',
    of: ({ repeats }) =>
      ['chunksOf', 'compare', 'guarded', 'migrate']
        .map((name) => repeats.get(name) ?? 0)
        .join(' / '),
  },
]

/** @param before - `counted` of 0d5d1000. */
export function tableOf(
  before: readonly string[],
  figures: Figures,
  byHand: readonly CountedByHand[],
): string {
  const today = counted(figures)
  const rows = [
    ...machineRows.map(({ what, stated, aim }, index) => {
      const was = before[index] ?? ''
      const note = stated === undefined || stated === was ? '' : ` (stated: ${stated})`
      return [what, `${was}${note}`, today[index] ?? '', aim]
    }),
    ...byHand.map(({ what, before: was, now, aim }) => [
      `${what}, by hand`,
      String(was),
      String(now.length),
      String(aim),
    ]),
  ]
  return ['| what | at 0d5d1000 | today | aim |', '|---|---|---|---|']
    .concat(rows.map((cells) => `| ${cells.join(' | ')} |`))
    .join('\n')
}

export const markers = ['<!-- npm run house -->', '<!-- end of npm run house -->'] as const

/** @returns the document with the table between its markers. @throws Error where they are missing. */
export function withTable(document: string, table: string): string {
  const [begin, end] = markers.map((one) => document.indexOf(one))
  if (begin === undefined || end === undefined || begin < 0 || end < begin) {
    throw new Error(`The document lacks the markers ${markers.join(' and ')}.`)
  }
  return `${document.slice(0, begin + markers[0].length)}\n${table}\n${document.slice(end)}`
}
