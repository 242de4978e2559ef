/** Times, sizes and other figures that are no amounts, as people read them. */

const dateTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** In the time zone of the browser. */
export function timeText(iso: string | null): string {
  return iso === null ? '–' : dateTime.format(new Date(iso))
}

export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const units = ['kB', 'MB', 'GB', 'TB']
  const exponent = Math.min(units.length, Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1_000 ** exponent).toFixed(1)} ${units[exponent - 1]}`
}

/** Grouped by thousands. */
export function countText(count: number | bigint): string {
  return count.toLocaleString('en-US')
}

export function durationText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`
  const hours = Math.round(seconds / 3_600)
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

/** Null is no figure. */
export function figureText(value: number | null | undefined, unit = '', digits = 2): string {
  if (value === null || value === undefined) return '–'
  const text = value.toLocaleString('en-US', { maximumFractionDigits: digits })
  return unit ? `${text} ${unit}` : text
}
