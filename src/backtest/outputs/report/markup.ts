/** HTML and SVG from templates: what is put in is escaped, unless it is markup itself. */

export class Markup {
  constructor(readonly text: string) {}
}

type Part = Markup | readonly Markup[] | string | number | null

export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const texts = strings.map((text, index) => (index === 0 ? text : toText(parts[index - 1]) + text))
  return new Markup(texts.join(''))
}

function toText(part: Part | undefined): string {
  if (part === null || part === undefined) return ''
  if (part instanceof Markup) return part.text
  if (typeof part === 'object') return part.map(({ text }) => text).join('')
  return String(part).replaceAll(/[&<>"'\p{Cc}]/gu, (sign) => entities[sign] ?? '\u{fffd}')
}

/** Control characters other than these have no place in a page. */
const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '\n': '\n',
  '\t': '\t',
}

/** With a true minus sign and thousands separated; a dash for what is not known. */
export function formatNumber(value: number | null | undefined, decimals: number): string {
  if (value === null || value === undefined) return '–'
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
  return value.toLocaleString('en-US', digits).replace('-', '−')
}

export function formatPercent(share: number | null | undefined, decimals = 1): string {
  return share === null || share === undefined ? '–' : `${formatNumber(share * 100, decimals)}%`
}
