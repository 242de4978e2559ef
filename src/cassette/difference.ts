/** Where two answers differ. Pure. */

export interface Difference {
  /** Such as `$.route[0].tokenIn[0]`; `$` for the whole. */
  readonly path: string
  readonly expected: string
  readonly got: string
}

const shownChars = 160
/** Characters shown around the first difference of two texts that are equal as JSON. */
const shownAround = 30

/** The first difference of two bodies; null when they are the same text. */
export function firstDifference(expected: string, got: string): Difference | null {
  if (expected === got) return null
  const [left, right] = [parsed(expected), parsed(got)]
  if (left && right) {
    const found = differing(left.value, right.value, '$')
    if (found) return found
  }
  let at = 0
  while (expected[at] === got[at]) at++
  const around = (text: string) =>
    shown(text.slice(Math.max(0, at - shownAround), at + shownAround))
  return { path: `$ (character ${at})`, expected: around(expected), got: around(got) }
}

function differing(a: unknown, b: unknown, path: string): Difference | null {
  if (a === b) return null
  if (isObject(a) && isObject(b) && Array.isArray(a) === Array.isArray(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      const below = Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`
      const found = differing(a[key], b[key], below)
      if (found) return found
    }
    return null
  }
  return { path, expected: shown(JSON.stringify(a)), got: shown(JSON.stringify(b)) }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function parsed(text: string): { readonly value: unknown } | null {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return null
  }
}

function shown(text: string | undefined): string {
  if (text === undefined) return 'nothing'
  return text.length > shownChars ? `${text.slice(0, shownChars)}…` : text
}
