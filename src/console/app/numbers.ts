/** Numbers as people read them. */
import { signal } from '@preact/signals'

/** Whether amounts are shown in raw units. */
export const isRaw = signal(false)

/** Exact. The function of viem brings 40 kB of it into the first view, which is more than the view itself. */
export function inUnits(raw: bigint, decimals: number): string {
  const isNegative = raw < 0n
  const digits = (isNegative ? -raw : raw).toString().padStart(decimals + 1, '0')
  const whole = digits.slice(0, digits.length - decimals)
  const rest = digits.slice(digits.length - decimals).replace(/0+$/, '')
  return `${isNegative ? '-' : ''}${whole}${rest && `.${rest}`}`
}

/** Grouped by thousands, cut after what matters: eight digits, at least two after the point. */
export function readable(raw: bigint, decimals: number): string {
  const [whole = '0', rest = ''] = inUnits(raw, decimals).split('.')
  const isNegative = whole.startsWith('-')
  const digits = isNegative ? whole.slice(1) : whole
  const lead = digits === '0' ? (/^0*/.exec(rest)?.[0].length ?? 0) : -digits.length
  const kept = rest.slice(0, Math.max(2, 8 + lead)).replace(/0+$/, '')
  const grouped = digits.replace(/\B(?=(\d{3})+$)/g, ',')
  return `${isNegative ? '-' : ''}${grouped}${kept && `.${kept}`}`
}

/** @returns null where the text is no amount, or has more decimals than the token. */
export function toRaw(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,60})(?:\.(\d*))?$|^\.(\d+)$/.exec(text.replaceAll(/[,_\s]/g, ''))
  if (!match) return null
  const rest = match[2] ?? match[3] ?? ''
  if (rest.length > decimals && /[1-9]/.test(rest.slice(decimals))) return null
  return BigInt((match[1] ?? '0') + rest.slice(0, decimals).padEnd(decimals, '0'))
}

/** How much more a is than b, basis points; null where that has no meaning. */
export function bpsBetween(a: bigint, b: bigint): number | null {
  if (b === 0n) return null
  return Number(((a - b) * 1_000_000n) / b) / 100
}

export function bpsText(bps: number | null): string {
  if (bps === null) return '–'
  const digits = Math.abs(bps) >= 100 ? 0 : 2
  const text = bps.toLocaleString('en-US', {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  })
  return `${bps > 0 ? '+' : ''}${text} bps`
}
