/**
 * Handles requests of a service that records or replays. An answer is sent only after it was kept, so a client never
 * holds one that the cassette lacks.
 */
import type { Request, Response } from 'express'
import { toHistoriesDocument } from '../domain/bridges/lane-history.js'
import { toDocument } from '../domain/changes/overlay.js'
import { defined } from '../domain/defined.js'
import type { CallContext } from '../domain/engine.js'
import { ForkrouteError } from '../domain/errors.js'
import { type BlockPin, bigintToString, type Hex } from '../domain/primitives.js'
import { type Recordings, recordingHeader } from '../domain/recording.js'
import type { Logger } from '../telemetry/log.js'
import type { CallInputs } from './call-inputs.js'
import type { RouteDefinition } from './contract.js'
import { errorBody, toForkrouteError } from './errors.js'
import type { RawQuery } from './input.js'

/** Parts of the call's context; null where the service neither records nor replays. */
export function recordingOf(args: {
  readonly recordings?: Recordings | null
  readonly logger: Logger
  readonly definition: RouteDefinition
  readonly request: { readonly query: RawQuery; readonly body: unknown }
  readonly accountId: Hex
  /** Those that the answer may have used are kept with it. */
  readonly inputs: Pick<CallInputs, 'given'>
  readonly req: Request
  readonly res: Response
}): Partial<CallContext> | null {
  const { recordings, definition, request, accountId, req, res } = args
  if (!recordings || !definition.isCalculation || definition.readsListings) return null
  const recordedRequest = {
    method: req.method === 'POST' ? ('POST' as const) : ('GET' as const),
    path: req.path,
    query: Object.fromEntries(request.query),
    ...defined({ body: request.body }),
    accountId,
  }
  const wanted = numberOf(req.headers[recordingHeader])
  const known = recordings.find(recordedRequest, wanted)
  const used = new Map<Hex, { readonly pin: BlockPin; readonly isHead: boolean }>()
  const send = res.json.bind(res)
  res.json = (body: unknown) => {
    const text = JSON.stringify(body, bigintToString)
    const blocks = [...used.values()]
    const { orders, overlays, laneHistories } = args.inputs.given()
    const asked = {
      ...recordedRequest,
      ...(orders.length > 0 && { orders }),
      ...(overlays.length > 0 && { overlays: overlays.map(toDocument) }),
      ...(laneHistories.length > 0 && { laneHistories: laneHistories.map(toHistoriesDocument) }),
    }
    recordings.add(asked, { status: res.statusCode, text, blocks }, wanted).then(
      (number) => {
        if (number !== null) res.setHeader(recordingHeader, String(number))
        send(body)
      },
      (thrown) => {
        const error = toForkrouteError(thrown)
        args.logger.error({ err: thrown }, 'an answer is not recorded')
        res.status(error.status)
        send(errorBody(error, res.locals.requestId))
      },
    )
    return res
  }
  return {
    ...known,
    // A route between chains can meet one block as the newest and by its number.
    onBlock: (pin, isHead) => {
      used.set(pin.hash, { pin, isHead: isHead || used.get(pin.hash)?.isHead === true })
    },
  }
}

/** @throws ForkrouteError INVALID_REQUEST. */
function numberOf(header: string | string[] | undefined): number | null {
  if (header === undefined) return null
  if (typeof header === 'string' && /^[1-9]\d{0,9}$/.test(header)) return Number(header)
  throw new ForkrouteError(
    'INVALID_REQUEST',
    `The header ${recordingHeader} must be the number of a recording, such as 1.`,
  )
}
