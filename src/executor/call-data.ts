/**
 * Encodes one contract call whose arguments may be values known only on chain, and finds the places in the call
 * data where those values are written. Every call step of a plan is encoded here. Pure.
 */
import type { AbiFunction, AbiParameter } from 'viem'
import { concatHex, encodeAbiParameters, toFunctionSelector } from 'viem'
import { ForkrouteError } from '../domain/errors.js'
import { zip } from '../domain/lists.js'
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

interface EncodedCall {
  readonly data: Hex
  /** Places of the references, in their order. */
  readonly offsets: readonly number[]
}

interface KnownFunction {
  readonly selector: Hex
  /** By their arguments, in which all references are alike. */
  readonly calls: Map<string, EncodedCall>
}

/**
 * What was encoded of each function: candidates, rungs of a ladder and blocks of a stream swap in the same pools, and only
 * what their references take differs.
 */
const functions = new WeakMap<AbiFunction, KnownFunction>()
/** Beyond so many, all calls of a function are forgotten; calls with more characters of arguments are not remembered. */
const mostCalls = 512
const longestArguments = 2_048

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
  const { selector, calls } = knownFunction(abi)
  const key = keyOf(args)
  const known = key === null ? undefined : calls.get(key)
  if (known) return { data: known.data, patches: withRefs(known, args.filter(isAmountRef)) }
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
  const data = concatHex([selector, base])
  if (key !== null) {
    if (calls.size >= mostCalls) calls.clear()
    calls.set(key, { data, offsets: patches.map(({ offset }) => offset) })
  }
  return { data, patches }
}

function withRefs({ offsets }: EncodedCall, refs: readonly AmountRef[]): Patch[] {
  return zip(offsets, refs).map(([offset, ref]) => ({ offset, ref }))
}

/** All that the encoding follows from besides the function; null where that is long, or an argument has parts. */
function keyOf(args: readonly unknown[]): string | null {
  let key = ''
  for (const arg of args) {
    if (isAmountRef(arg)) key += 'r '
    else if (typeof arg === 'string') key += `s${arg.length} ${arg} `
    else if (typeof arg === 'bigint') key += `n${arg.toString(16)} `
    else if (typeof arg === 'number' || typeof arg === 'boolean') key += `${arg} `
    else return null
  }
  return key.length <= longestArguments ? key : null
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
      const { selector = '0x', types, values } = value
      const filled = types.map((type, index) => fill(type, values[index]))
      return concatHex([selector, encodeAbiParameters(types, filled)])
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

function knownFunction(abi: AbiFunction): KnownFunction {
  const known = functions.get(abi)
  if (known) return known
  const made = { selector: toFunctionSelector(abi), calls: new Map<string, EncodedCall>() }
  functions.set(abi, made)
  return made
}

function maximumOf(type: string, step: number): bigint {
  const [, sign, bits] = /^(u?)int(\d*)$/.exec(type) ?? []
  if (sign === undefined) {
    throw invalidStep(step, `a value known only on chain cannot stand in for ${type}.`)
  }
  return 2n ** BigInt(Number(bits || 256) - (sign ? 0 : 1)) - 1n
}
