/** A client of the service: every endpoint, with amounts as bigint, errors as classes, and streams that come back. */
import { type AnswerOf, calls, type InputOf, type streams } from './calls.js'
import type { Executed, ExecuteOptions } from './execute.js'
import type { ExecutableRoute, Wallet } from './execution.js'
import { endpoints } from './generated/endpoints.js'
import type { components, operations } from './generated/schema.js'
import { follow, type StreamEvent, type StreamOptions } from './streams.js'
import { isSettled, statesOf, type TrackInput, type TransferState } from './track.js'
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
      follow(transport, { endpoint: endpoints.streamQuotes, input, name: 'quotes' }, more),
    followBacktest: (input, more) =>
      follow(
        transport,
        { endpoint: endpoints.followBacktest, input, name: 'progress', isLast: isOver },
        more,
      ),
    track: (input, more) =>
      statesOf(
        follow(
          transport,
          { endpoint: endpoints.trackTransfer, input, name: 'transfer', isLast: hasArrived },
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

const hasArrived = (data: unknown) => isSettled(data as TransferState)
const isOver = (data: unknown) => !['queued', 'running'].includes((data as BacktestProgress).state)
