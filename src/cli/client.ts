/**
 * How commands reach the service: a running one with --url, else one started inside this process
 * for the length of the command. Both are asked over HTTP by the typed client, so an answer is the same either way.
 */
import { createForkrouteClient, type ForkrouteClient, type RouteInput } from '../client/client.js'
import type { ForkrouteApiError } from '../client/errors.js'
import { ConfigError, loadConfig } from '../config/config.js'
import { blockTagForms, parseBlockTag } from '../domain/block-tag.js'
import { createLogger } from '../telemetry/log.js'
import { nextStepsOf } from './next-steps.js'
import { withProgress } from './output.js'

export interface ConnectionOptions {
  /** The chain that the command is about. */
  readonly chain?: number
  /** Another that it is about. */
  readonly toChain?: number
  /** Whether a sandbox that is started for the command has all its chains, in place of those two. */
  readonly allChains?: boolean
  readonly url?: string
  readonly key?: string
}

/**
 * The number of the block that the user names; undefined: the newest.
 * @throws ForkrouteError INVALID_REQUEST when the text names no block.
 */
export async function resolveBlock(
  client: ForkrouteClient,
  chainId: number,
  text: string | undefined,
): Promise<number | undefined> {
  const tag = text === undefined ? null : parseBlockTag(text)
  if (text === undefined || !tag || (tag.kind === 'latest' && tag.back === 0n)) return undefined
  if (tag.kind === 'number') return Number(tag.number)
  const block = await client.block({ chainId, at: text })
  return block.number
}

/** Behind every refusal for want of a key. */
const keyHint =
  'Give the key of an account of that service with --key, or in the variable FORKROUTE_KEY.'

/**
 * For commands on files of the data folder, which no service gives out.
 * @param what - what they work on and where that is, as the beginning of a sentence.
 * @throws ConfigError where a service is named.
 */
export function refuseUrl({ url }: ConnectionOptions, what: string): void {
  if (url === undefined) return
  throw new ConfigError(
    [`--url: ${what}; run this where the service runs, without --url.`],
    'command line',
  )
}

/** The names of strategies depend on what the service is called, so it judges them. */
export function toStrategy(text: string | undefined): RouteInput['routingStrategy'] {
  return text as RouteInput['routingStrategy']
}

/** Help text of the option --block. */
export const blockHelp = `at the end of this block: ${blockTagForms}`

/** @throws ConfigError where the url or the key cannot be used. */
function connect(url: string, key: string | undefined): ForkrouteClient {
  try {
    return createForkrouteClient({ url, key })
  } catch (error) {
    if (error instanceof TypeError) throw new ConfigError([`--${error.message}`], 'command line')
    throw error
  }
}

/**
 * A refusal of the service as commands report it.
 * @returns the sentence for people, and the body of the error for programs.
 */
export function describeRefusal(error: ForkrouteApiError): {
  readonly text: string
  readonly body: object
} {
  const { body, code, messages } = error
  if (code !== 'UNAUTHORIZED') {
    const next = nextStepsOf(error)
    return { text: `${messages.join('\n')} (${code})${next ? `\n${next}` : ''}`, body }
  }
  const message = `${messages.join(' ')} ${keyHint}`
  return { text: `${message} (${code})`, body: { ...body, message } }
}

/** Runs one command against a service, and stops the service if it was started for the command. */
export async function withApi(
  options: ConnectionOptions,
  work: (client: ForkrouteClient) => Promise<void>,
): Promise<void> {
  if (options.url) {
    // A variable that is set to nothing holds no key, as it holds no setting.
    await work(connect(options.url, options.key ?? (process.env.FORKROUTE_KEY || undefined)))
    return
  }
  const config = loadConfig({
    ...process.env,
    HOST: '127.0.0.1',
    PORT: '0',
    AUTH_MODE: 'open',
    LOG_LEVEL: process.env.LOG_LEVEL ?? 'error',
  })
  const logger = createLogger(config.logLevel)
  // Loaded when needed: a command for a running service starts faster without it.
  const { openLocalService } = await import('../service/local-service.js')
  const local = await withProgress('Starting the service', (onProgress) =>
    openLocalService(config, {
      logger,
      onProgress,
      ...(options.chain && {
        sandboxChains: [...new Set([options.chain, options.toChain ?? options.chain])],
      }),
      ...(options.allChains && { sandboxChains: 'all' as const }),
    }),
  )
  try {
    await work(connect(local.url, undefined))
  } finally {
    await local.close()
  }
}
