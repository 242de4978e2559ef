/** A client of the service: every endpoint, with amounts as bigint, errors as classes, and streams that come back. */
import { type AnswerOf, calls, type InputOf, type streams } from './calls.js'
import type { Executed, ExecuteOptions } from './execute.js'
import type { ExecutableRoute, Wallet } from './execution.js'
import { endpoints } from './generated/endpoints.js'
import type { components, operations } from './generated/schema.js'
import { follow, type StreamEvent, type StreamOptions } from './streams.js'
import {
  type AccountTransfers,
  isEnd,
  statesOf,
  type TrackInput,
  type TransferState,
  type TransfersInput,
  transfersOf,
} from './track.js'
import {
  type CallOptions,
  type ClientOptions,
  createTransport,
  type Input,
  type Transport,
} from './transport.js'

type Calls = {
  readonly [Name in keyof typeof calls]: Record<string, never> extends InputOf<(typeof calls)[Name]>
    ? (
        input?: InputOf<(typeof calls)[Name]>,
        options?: CallOptions,
      ) => Promise<AnswerOf<(typeof calls)[Name]>>
    : (
        input: InputOf<(typeof calls)[Name]>,
        options?: CallOptions,
      ) => Promise<AnswerOf<(typeof calls)[Name]>>
}

export type RouteInput = InputOf<'postRoute'>
export type Route = AnswerOf<'postRoute'>
export type QuoteInput = InputOf<'postQuote'>
export type Quote = AnswerOf<'postQuote'>
export type QuoteBatch = components['schemas']['QuoteBatch']
export type BacktestProgress = components['schemas']['BacktestProgress']

export interface ForkrouteClient extends Calls {
  /**
   * Quotes now and at every new block, one event for each block, until the signal is aborted or the loop is left. A block
   * without quotes is an event `error`; the stream goes on. Comes back after a break of the connection.
   * @throws ForkrouteApiError when the service refuses the stream for good.
   */
  streamQuotes(
    input: InputOf<typeof streams.streamQuotes>,
    options?: StreamOptions,
  ): AsyncIterable<StreamEvent<'quotes', QuoteBatch>>
  /** Progress of a backtest until it is over. */
  followBacktest(
    input: InputOf<typeof streams.followBacktest>,
    options?: StreamOptions,
  ): AsyncIterable<StreamEvent<'progress', BacktestProgress>>
  /**
   * States of a transfer over a bridge, now and as they change, until it is delivered, failed or not known. Comes back after
   * a break of the connection.
   * @throws ForkrouteApiError as `bridgeCheck` does.
   */
  track(input: TrackInput, options?: StreamOptions): AsyncIterable<TransferState>
  /**
   * The newest transfers over bridges from or to an account, now and as one changes, until all have ended. Comes back after a
   * break of the connection, and then finds those that were begun meanwhile, too.
   * @throws ForkrouteApiError STATE_UNAVAILABLE where the nodes of no chain give events.
   */
  trackTransfers(input: TransfersInput, options?: StreamOptions): AsyncIterable<AccountTransfers>
  /** Signs and sends the transaction of a route, and says what arrived. @see execute */
  execute(wallet: Wallet, route: ExecutableRoute, options?: ExecuteOptions): Promise<Executed>
  /** All paths as openapi-fetch has them, with amounts as strings: for answers that are no JSON. */
  readonly raw: Transport['raw']
}

/** What may be executed in place of the answer. */
function alternativesOf(answer: object): readonly object[] {
  return 'alternatives' in answer && Array.isArray(answer.alternatives) ? answer.alternatives : []
}

/** @throws TypeError for a url or key that cannot be used. */
export function createForkrouteClient(options: ClientOptions): ForkrouteClient {
  const transport = createTransport(options)
  const requests = new WeakMap<object, Input>()
  const ask = async (id: keyof operations, input: Input = {}, more: CallOptions = {}) => {
    const answer = await transport.ask(endpoints[id], input, more)
    // What was asked says who receives what, which the answer does not repeat.
    if (typeof answer === 'object' && answer) {
      for (const one of [answer, ...alternativesOf(answer)]) requests.set(one, input)
    }
    return answer
  }
  const methods = Object.fromEntries(
    Object.entries(calls).map(([name, id]) => [
      name,
      (input?: Input, more?: CallOptions) => ask(id, input, more),
    ]),
  ) as unknown as Calls
  return {
    ...methods,
    streamQuotes: (input, more) =>
      follow<{ quotes: QuoteBatch }>(
        transport,
        { endpoint: endpoints.streamQuotes, input, names: ['quotes'] },
        more,
      ),
    followBacktest: (input, more) =>
      follow<{ progress: BacktestProgress }>(
        transport,
        { endpoint: endpoints.followBacktest, input, names: ['progress'], isLast: isOver },
        more,
      ),
    track: (input, more) =>
      statesOf(
        follow(
          transport,
          { endpoint: endpoints.trackTransfer, input, names: ['transfer', 'end'], isLast: isEnd },
          more,
        ),
      ),
    trackTransfers: (input, more) =>
      transfersOf(
        follow(
          transport,
          {
            endpoint: endpoints.trackTransfers,
            input,
            names: ['transfers', 'transfer', 'end'],
            isLast: isEnd,
          },
          more,
        ),
      ),
    async execute(wallet, route, more = {}) {
      // Loaded when needed: without it the client needs no viem.
      const { execute } = await import('./execute.js')
      const request = more.request ?? (requests.get(route) as ExecuteOptions['request'])
      return execute(methods, wallet, route, { ...more, request })
    },
    raw: transport.raw,
  }
}

const isOver = (data: unknown) => !['queued', 'running'].includes((data as BacktestProgress).state)
