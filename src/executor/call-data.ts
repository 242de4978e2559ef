/**
 * Encodes one contract call whose arguments may be values known only on chain, and finds the places in the call
 * data where those values are written. Every call step of a plan is encoded here. Pure.
 */
import type { AbiFunction, AbiParameter } from 'viem'
import { concatHex, encodeAbiParameters, toFunctionSelector } from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import type { AmountRef } from '../domain/order.js'
import { isAmountRef, isEncodedValues } from '../domain/order.js'
import type { Hex } from '../domain/primitives.js'

/** The 32-byte word at `offset` of the call data that the value of `ref` replaces. */
export interface Patch {
  readonly offset: number
  readonly ref: AmountRef
}

export interface PatchableCall {
  /** Zero in every place that a patch fills. */
  readonly data: Hex
  readonly patches: readonly Patch[]
}

const selectorBytes = 4
const selectors = new WeakMap<AbiFunction, Hex>()

/**
 * Encodes the call once with every reference as zero, then once per reference with that one at its type's maximum.
 * The two encodings last differ in the last byte of the value's word, whatever the width of its type. That makes the
 * place exact, where a search for a marker could be misled by equal bytes elsewhere.
 *
 * @param step - zero-based, for messages only.
 * @throws ForkrouteError INVALID_REQUEST when the arguments do not fit the ABI, or a reference is given
 *   for an argument that is not an integer.
 */
export function encodeCall(
  abi: AbiFunction,
  args: readonly unknown[],
  step: number,
): PatchableCall {
  if (args.length !== abi.inputs.length) {
    const counts = `${abi.inputs.length} arguments, not ${args.length}`
    throw invalidStep(step, `${abi.name} takes ${counts}.`)
  }
  const refs: AmountRef[] = []
  const base = encode(abi, args, step, (ref) => {
    refs.push(ref)
    return false
  })
  const patches = refs.map((ref, index) => {
    let met = 0
    const raised = encode(abi, args, step, () => met++ === index)
    return { offset: selectorBytes + wordOf(base, raised), ref }
  })
  return { data: concatHex([selectorOf(abi), base]), patches }
}

/** Encodes the arguments; a reference becomes its type's maximum where `isRaised`, else zero. */
function encode(
  abi: AbiFunction,
  args: readonly unknown[],
  step: number,
  isRaised: (ref: AmountRef) => boolean,
): Hex {
  const fill = (parameter: AbiParameter, value: unknown): unknown => {
    if (isAmountRef(value)) {
      const maximum = maximumOf(parameter.type, step)
      return isRaised(value) ? maximum : 0n
    }
    if (parameter.type === 'bytes' && isEncodedValues(value)) {
      const { types, values } = value
      return encodeAbiParameters(
        types,
        types.map((type, index) => fill(type, values[index])),
      )
    }
    if (Array.isArray(value) && parameter.type.endsWith(']')) {
      const item = { ...parameter, type: parameter.type.replace(/\[\d*\]$/, '') }
      return value.map((entry) => fill(item, entry))
    }
    if (typeof value === 'object' && value !== null && 'components' in parameter) {
      const fields = parameter.components.map((field, index) => {
        const key = Array.isArray(value) ? index : (field.name ?? index)
        return [key, fill(field, (value as Record<string, unknown>)[key])]
      })
      return Array.isArray(value) ? fields.map(([, entry]) => entry) : Object.fromEntries(fields)
    }
    return value
  }
  try {
    return encodeAbiParameters(
      abi.inputs,
      abi.inputs.map((parameter, index) => fill(parameter, args[index])),
    )
  } catch (cause) {
    if (cause instanceof ForkrouteError) throw cause
    const reason = cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : ''
    throw invalidStep(step, `the arguments of ${abi.name} do not fit its ABI (${reason})`, cause)
  }
}

/** An INVALID_REQUEST error that names the step. */
export function invalidStep(step: number, problem: string, cause?: unknown): ForkrouteError {
  const options = cause === undefined ? undefined : { cause }
  return new ForkrouteError('INVALID_REQUEST', `Step ${step}: ${problem}`, { step }, options)
}

/** Byte offset of the word that ends where two encodings of the same length last differ. */
export function wordOf(base: Hex, raised: Hex): number {
  let last = base.length - 1
  while (base[last] === raised[last]) last--
  return (last - 1) / 2 - 32
}

function selectorOf(abi: AbiFunction): Hex {
  const cached = selectors.get(abi)
  if (cached) return cached
  const selector = toFunctionSelector(abi)
  selectors.set(abi, selector)
  return selector
}

function maximumOf(type: string, step: number): bigint {
  const [, sign, bits] = /^(u?)int(\d*)$/.exec(type) ?? []
  if (sign === undefined) {
    throw invalidStep(step, `a value known only on chain cannot stand in for ${type}.`)
  }
  return 2n ** BigInt(Number(bits || 256) - (sign ? 0 : 1)) - 1n
}
