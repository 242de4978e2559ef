/**
 * The whole service inside the process of a test, on a cassette, a node or the sandbox. It has the same threads, forks
 * and answers as `forkroute serve`, and is asked through its API on a loopback port. Its data folder is temporary.
 */

import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { endpoints, shapes } from '../client/generated/endpoints.js'
import { type Shape, withAmounts } from '../client/shape.js'
import { type Config, loadConfig } from '../config/config.js'
import { defined } from '../domain/defined.js'
import { type ErrorCode, ForkrouteError } from '../domain/errors.js'
import type { ArchiveMode } from '../rpc/archive/archive-messages.js'
import { type LocalAnswer, openLocalService } from '../service/local-service.js'
import { createLogger } from '../telemetry/log.js'
import {
  type BundleResult,
  type PriceResult,
  type QuoteResult,
  type RouteResult,
  toBundleResult,
  toQuoteResult,
  toRouteResult,
  type WireBundle,
  type WireQuote,
  type WireRoute,
} from './answers.js'
import { type Proof, type ProvenAnswer, provenAnswer } from './proven.js'
import {
  type BundleInput,
  type PricesInput,
  type QuoteInput,
  type RequestKind,
  type RouteInput,
  toApiRequest,
} from './requests.js'

export interface ForkrouteOptions {
  /**
   * File of recorded state. Alone it answers everything: no node, no network. With RECORD=1 in the environment (or
   * `record`) what the requests of this run read is added to it.
   */
  readonly cassette?: string | undefined
  /** Node URL to read or record from; absent: the sandbox. Not used in a replay. */
  readonly rpcUrl?: string | undefined
  /** Chain of requests that give none; default 1. */
  readonly chainId?: number | undefined
  /** Block of requests that give none; absent: the newest block of the node or the cassette. */
  readonly blockNumber?: bigint | number | undefined
  /** Default: whether RECORD=1 is set. */
  readonly record?: boolean | undefined
  /**
   * Variables of docs/reference/configuration.md, such as `{ MAX_HOPS: '2' }`; the environment itself is not read. Settings that
   * change answers are stored in the cassette, and a replay uses those.
   */
  readonly config?: Readonly<Record<string, string | undefined>> | undefined
  /**
   * `require`: each route and quote has to come with evidence that verifies on its own, or the call throws. `report`: one without
   * is answered as well, and `proofOf` says why it has none. Default: none is asked for.
   */
  readonly evidence?: 'require' | 'report' | undefined
  /** Progress of the sandbox build, once per installation: the current stage, and the fraction done, 0 to 1. */
  onProgress?(message: string, fraction: number): void
}

/** All methods throw ForkrouteError, whose `code` is one of docs/reference/errors.md. */
export interface Forkroute {
  readonly mode: 'replay' | 'record' | 'live'
  /** Worker threads that calculate in parallel. */
  readonly threads: number
  /** What the evidence of the answers so far has proven, in their order; empty without `evidence`. */
  readonly proven: readonly ProvenAnswer[]
  /** What is known of the state of an answer of `route` or `quote`; null: no evidence was asked for. */
  proofOf(answer: object): Proof | null
  /** The best route as an unsigned transaction. */
  route(input: RouteInput): Promise<RouteResult>
  /** The output of the best route; needs no funds. */
  quote(input: QuoteInput): Promise<QuoteResult>
  /** Several actions as one transaction. */
  bundle(input: BundleInput): Promise<BundleResult>
  /** USD prices in the order asked; null where none is known. */
  prices(input: PricesInput): Promise<readonly PriceResult[]>
  /** Ends threads and forks; recordings are on disk afterwards. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Tests mostly send one request after the other, and a second thread would slow the start down by half a second. */
const smallService = { FORKS_PER_BLOCK: '1', WORKERS: '1' }

/**
 * @throws ForkrouteError NOT_FOUND when the cassette is absent and nothing is recorded, STORAGE_UNAVAILABLE when it
 *   cannot be read or written; ConfigError.
 */
export function createForkroute(options: ForkrouteOptions = {}): Promise<Forkroute> {
  return openForkroute({ ...options, config: { ...smallService, ...options.config } })
}

/** Like createForkroute, with the default number of threads and forks of a service. */
export async function openForkroute(options: ForkrouteOptions): Promise<Forkroute> {
  const { chainId = 1, rpcUrl, onProgress } = options
  const config = loadConfig({
    LOG_LEVEL: 'error',
    ...options.config,
    ...defined({ [`RPC_URL_${chainId}`]: rpcUrl || undefined }),
  })
  const advice = howToRecord(config)
  const mode = chooseMode(options, advice)
  const folder = await mkdtemp(join(tmpdir(), 'forkroute-testing-'))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    const dataDir = options.config?.DATA_DIR ? config.dataDir : folder
    const local = await openLocalService(
      { ...config, dataDir },
      { logger: createLogger(config.logLevel), mode, ...defined({ onProgress }) },
    )
    let closing: Promise<void> | undefined
    const close = () => {
      closing ??= local.close().then(removeFolder)
      return closing
    }
    const proven: ProvenAnswer[] = []
    const proofs = new WeakMap<object, Proof>()
    const send = async (kind: RequestKind, input: object) => {
      const given = { chainId: options.chainId, blockNumber: options.blockNumber, ...input }
      const answer = await local.ask(toApiRequest(kind, given))
      if (answer.status === 200) return answer
      throw toError(answer, mode, advice)
    }
    /** @throws ForkrouteError where there is no evidence, or it does not hold. */
    const prove = async (kind: ProvenAnswer['kind'], input: object) => {
      const answer = await send(kind, { ...input, evidence: true })
      const shown = await provenAnswer(kind, answer.text)
      proven.push(shown)
      return { answer, proof: { isProven: true, ...shown } satisfies Proof }
    }
    const ask: Ask = async (kind, input, convert) => {
      const isAsked = options.evidence !== undefined && (kind === 'route' || kind === 'quote')
      const asked = isAsked ? prove(kind, input) : send(kind, input)
      const { answer, proof } = await asked.then(
        (found) => ('proof' in found ? found : { answer: found, proof: null }),
        async (error) => {
          if (!isAsked || options.evidence === 'require') throw error
          const reason = error instanceof Error ? error.message : String(error)
          return { answer: await send(kind, input), proof: { isProven: false, reason } as const }
        },
      )
      const result = convert(withAmounts(JSON.parse(answer.text), shapeOf[kind], shapes) as never)
      if (proof) proofs.set(result, proof)
      return result
    }
    return {
      mode: mode.kind,
      threads: config.workers,
      proven,
      proofOf: (answer) => proofs.get(answer) ?? null,
      ...methods(ask),
      close,
      [Symbol.asyncDispose]: close,
    }
  } catch (error) {
    await removeFolder()
    throw error
  }
}

function chooseMode({ cassette, record }: ForkrouteOptions, advice: string): ArchiveMode {
  if (cassette === undefined) {
    if (!record) return { kind: 'live' }
    throw new ForkrouteError('INVALID_REQUEST', 'record needs a cassette to record into.')
  }
  const file = resolve(cassette)
  if (record ?? process.env.RECORD === '1') return { kind: 'record', file }
  if (existsSync(file)) return { kind: 'replay', file }
  throw new ForkrouteError('NOT_FOUND', `There is no cassette ${file}. ${advice}`)
}

function howToRecord({ rpcUrls }: Config): string {
  const hasNode = Object.keys(rpcUrls).length > 0
  const source = hasNode ? 'the configured node' : 'the sandbox, since no node is configured'
  return `Run once with RECORD=1 to record it from ${source}.`
}

/** Where answers have amounts. */
const shapeOf = {
  route: endpoints.postRoute.answer,
  quote: endpoints.postQuote.answer,
  bundle: endpoints.postBundle.answer,
  prices: undefined,
} satisfies Record<RequestKind, Shape | undefined>

/** @throws ForkrouteError. */
type Ask = <T, R extends object>(
  kind: RequestKind,
  input: object,
  convert: (answer: T) => R,
) => Promise<R>

function methods(ask: Ask): Pick<Forkroute, RequestKind> {
  return {
    route: (input) =>
      ask('route', input, (answer: WireRoute) => toRouteResult(answer, [input.tokenOut].flat())),
    quote: (input) =>
      ask('quote', input, (answer: WireQuote) => toQuoteResult(answer, [input.tokenOut].flat())),
    bundle: (input) => ask('bundle', input, (answer: WireBundle) => toBundleResult(answer)),
    prices: (input) => ask('prices', input, (answer: readonly PriceResult[]) => answer),
  }
}

/** Error texts for state, blocks and chains that the recording never read. */
const absence = /cassette lacks|not in the cassette/

/** The error of the API, with advice when the cassette is the cause. */
function toError({ text }: LocalAnswer, mode: ArchiveMode, advice: string): ForkrouteError {
  const { code, message, details } = JSON.parse(text) as {
    code: ErrorCode
    message: string | string[]
    details?: Record<string, unknown>
  }
  if (mode.kind !== 'replay' || !absence.test(String(message))) {
    return new ForkrouteError(code, message, details)
  }
  const sentences = [message, `${mode.file} was recorded without this request.`, advice]
  return new ForkrouteError(code, sentences.flat().join(' '), details)
}
