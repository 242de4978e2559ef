/** The deadline of an order, from what the request says and the block at which it is calculated. */
import { type Deadline, latestDeadline } from '../../domain/deadline.js'
import { ForkrouteError } from '../../domain/errors.js'
import { blockEnvironment } from '../../forks/block-environment.js'
import type { Task } from '../block/task.js'

/**
 * Unix seconds; undefined where the request names none.
 * @throws ForkrouteError INVALID_REQUEST when the next block can only be later.
 */
export function deadlineOf(
  { pin, chain }: Pick<Task, 'pin' | 'chain'>,
  { deadline }: { readonly deadline?: Deadline },
): bigint | undefined {
  if (!deadline) return undefined
  const at = deadline.kind === 'at' ? deadline.timestamp : pin.timestamp + deadline.seconds
  const { time } = blockEnvironment(pin, chain)
  if (at >= time && at <= latestDeadline) return at
  throw new ForkrouteError(
    'INVALID_REQUEST',
    at < time
      ? `The deadline ${at} is before the block after ${pin.number}, which is due at ${time}.`
      : `The deadline ${at} is after ${latestDeadline}.`,
    {
      deadline: String(at),
      blockNumber: Number(pin.number),
      next: [{ parameter: 'deadline' }],
    },
  )
}
