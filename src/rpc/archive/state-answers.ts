/** A value of state as JSON-RPC answers it, the check of a parameter, and the errors of both. */
import type { z } from 'zod'
import type { Hex } from '../../domain/primitives.js'
import type { Answer, BlockRef } from '../node/answer.js'
import { JsonRpcError } from '../node/json-rpc.js'
import { describe, fromStored, type ItemKey } from '../node/state-item.js'
import type { ChainSource } from './chain-source.js'

const unreadableCode = -32001
const invalidParams = -32602

/** @throws JsonRpcError where the value cannot be read, as a promise's reason where it is one. */
export function readValue(
  source: ChainSource,
  key: ItemKey,
  block: BlockRef,
  isForks = false,
): Hex | Promise<Hex> {
  const toHex = (answer: Answer<Hex>): Hex => {
    if (answer.ok) return fromStored(key, answer.value)
    throw unreadable(`${describe(key)} at block ${block.number}`, answer.message)
  }
  const answer = source.read(key, block, isForks)
  return answer instanceof Promise ? answer.then(toHex) : toHex(answer)
}

/** @throws JsonRpcError for a parameter of another form. */
export function check<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new JsonRpcError(invalidParams, 'a parameter is not of the form that the method takes')
}

export function unreadable(what: string, reason: string): JsonRpcError {
  return new JsonRpcError(unreadableCode, `state unreadable: ${what}: ${reason}`)
}
