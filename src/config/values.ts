/** Forms that variables of the environment have. */
import { z } from 'zod'

export function integer(fallback: number, min: number, max: number) {
  const message = `must be an integer from ${min} to ${max}`
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, message)
    .default(fallback)
}

export function usd(fallback: number) {
  return z
    .string()
    .regex(/^\d{1,12}(\.\d+)?$/, 'must be a number that is not negative')
    .transform(Number)
    .default(fallback)
}

export function oneOf<const T extends readonly [string, ...string[]]>(
  values: T,
  fallback: T[number],
) {
  return z.enum(values, `must be one of ${values.join(', ')}`).default(fallback)
}

/** Comma-separated. */
export const list = z
  .string()
  .default('')
  .transform((text) => text.split(',').flatMap((part) => part.trim() || []))

/** `name=value`, comma-separated, URL-encoded, as OpenTelemetry has them. The message never repeats the input. */
export const headers = z
  .string()
  .default('')
  .transform((text, context): Readonly<Record<string, string>> => {
    const parts = text.split(',').flatMap((part) => part.trim() || [])
    try {
      return Object.fromEntries(
        parts.map((part) => {
          const [, name = '', value = ''] = /^([\w.-]+)\s*=\s*([\x21-\x7e]*)$/.exec(part) ?? []
          if (name === '') throw new URIError()
          return [name, decodeURIComponent(value)]
        }),
      )
    } catch {
      context.addIssue('must be name=value, comma-separated, with URL-encoded values')
      return z.NEVER
    }
  })

export function isOverlayUrl(text: string): boolean {
  return URL.canParse(text) && /^(https?|wss?):$/.test(new URL(text).protocol)
}

export function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

/** A URL with a host. The message never repeats the input, which may hold a password. */
export function urlOf(schemes: readonly string[], message: string) {
  return z
    .string()
    .refine((text) => {
      const url = URL.canParse(text) ? new URL(text) : null
      return url !== null && schemes.includes(url.protocol) && url.hostname !== ''
    }, message)
    .optional()
}

export function isOrigin(text: string): boolean {
  return text === '*' || (isHttpUrl(text) && new URL(text).origin === text)
}
