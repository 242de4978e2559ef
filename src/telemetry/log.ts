/**
 * The logger: JSON lines on standard error, pretty on a terminal. Secrets never reach a line:
 * secret fields are redacted by name, and every URL in a text is cut to scheme and host.
 */
import { type DestinationStream, type Logger, pino } from 'pino'
import pretty from 'pino-pretty'

export type { Logger } from 'pino'

const redactedPaths = [
  'authorization',
  'key',
  'apiKey',
  'privateKey',
  'url',
  'urls',
  'rpcUrls',
  'redisUrl',
  'databaseUrl',
  'headers',
]

const urls =
  /\b(?<scheme>(?:https?|wss?|rediss?|postgres(?:ql)?):\/\/)(?<user>[^\s/@"']*@)?(?<host>[^\s/?#"'),]+)(?<path>[^\s"'),]*)/gi

/** The named groups of `urls`. */
interface UrlParts {
  readonly scheme: string
  readonly user: string | undefined
  readonly host: string
  /** With the query. */
  readonly path: string
}

/**
 * Cuts credentials, path and query off every URL in a text, and blanks API keys.
 * Node providers put their keys into the path.
 */
export function withoutSecrets(text: string): string {
  return text
    .replace(urls, (...match) => {
      const { scheme, user, host, path }: UrlParts = match.at(-1)
      return user || /[^/]/.test(path) ? `${scheme}${host}/…` : `${scheme}${host}`
    })
    .replace(/\bfr_[A-Za-z0-9_-]{8,}/g, 'fr_…')
}

function cleanError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as { code?: unknown }
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    ...(typeof code === 'string' && { code }),
    stack: withoutSecrets(error.stack ?? ''),
    ...(error.cause !== undefined && { cause: cleanError(error.cause) }),
  }
}

/** @param stream - where lines go; default standard error, so that command output stays clean. */
export function createLogger(level: string, stream?: DestinationStream): Logger {
  const target =
    stream ??
    (process.stderr.isTTY
      ? pretty({ destination: 2, ignore: 'pid,hostname', sync: true })
      : pino.destination(2))
  return pino(
    {
      level,
      base: null,
      redact: {
        paths: redactedPaths.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
        censor: '[redacted]',
      },
      serializers: { err: cleanError, error: cleanError },
      hooks: {
        logMethod(args, method) {
          const cleaned = args.map((arg) => (typeof arg === 'string' ? withoutSecrets(arg) : arg))
          method.apply(this, cleaned as typeof args)
        },
      },
    },
    target,
  )
}
