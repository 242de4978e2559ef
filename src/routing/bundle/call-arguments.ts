/**
 * Builds a call from a human-readable function signature and its arguments: every number may be a reference, at any
 * depth of tuples and lists. Pure.
 */
import { type AbiFunction, type AbiParameter, parseAbiItem } from 'viem'
import type { Reference } from '../../domain/bundle.js'
import type { Amount } from '../../domain/order.js'
import {
  BadArgument,
  isBytes,
  isReferenceLike,
  parseAddress,
  parseReference,
  toText,
} from './values.js'

/** @throws BadArgument. */
export function parseSignature(signature: string): AbiFunction {
  const text = signature.trim()
  let item: unknown
  try {
    item = parseAbiItem(text.startsWith('function ') ? text : `function ${text}`)
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : ''
    throw new BadArgument(`a function signature such as "function f(uint256 a)" (${reason})`)
  }
  const found = item as AbiFunction
  if (found.type !== 'function') throw new BadArgument('the signature of a function')
  return found
}

/**
 * @param resolve - the value of a reference.
 * @returns values for `CallStep.args`.
 * @throws BadArgument naming the place inside the arguments.
 */
export function toCallArguments(
  inputs: readonly AbiParameter[],
  values: unknown,
  resolve: (reference: Reference) => Amount,
): unknown[] {
  if (!Array.isArray(values) || values.length !== inputs.length) {
    throw new BadArgument(`a list of ${inputs.length} values`)
  }
  return inputs.map((input, index) => convert(input, values[index], `[${index}]`, resolve))
}

function convert(
  parameter: AbiParameter,
  value: unknown,
  place: string,
  resolve: (reference: Reference) => Amount,
): unknown {
  const { type } = parameter
  const refuse = (expected: string): never => {
    throw new BadArgument(`${expected} at ${place}`)
  }
  if (isReferenceLike(value)) {
    if (!/^u?int\d*$/.test(type)) return refuse(`a ${type}, not a reference,`)
    return resolve(parseReference(value))
  }
  const list = /^(.*)\[(\d*)\]$/.exec(type)
  if (list) {
    const [, inner = '', length] = list
    if (!Array.isArray(value)) return refuse(`a list for ${type}`)
    if (length && value.length !== Number(length)) return refuse(`a list of ${length} values`)
    return value.map((item, index) =>
      convert({ ...parameter, type: inner }, item, `${place}[${index}]`, resolve),
    )
  }
  if (type === 'tuple') {
    const { components } = parameter as { components: readonly AbiParameter[] }
    if (typeof value !== 'object' || value === null)
      return refuse('an object or a list for a tuple')
    const fields = components.map((field, index) => {
      const key = field.name ?? ''
      const source = Array.isArray(value) ? index : key
      if (!Object.hasOwn(value, source)) return refuse(`the field ${key || index} of the tuple`)
      const inner = (value as Record<string | number, unknown>)[source]
      return [key || index, convert(field, inner, `${place}.${key || index}`, resolve)] as const
    })
    return components.every(({ name }) => name)
      ? Object.fromEntries(fields)
      : fields.map(([, field]) => field)
  }
  if (/^u?int\d*$/.test(type)) {
    const text = toText(value)
    return typeof text === 'string' && /^-?\d{1,78}$/.test(text)
      ? BigInt(text)
      : refuse(`a decimal string for ${type}`)
  }
  if (type === 'bool') {
    if (value === true || value === 'true') return true
    return value === false || value === 'false' ? false : refuse('true or false')
  }
  if (type === 'address') {
    try {
      return parseAddress(value)
    } catch (error) {
      return refuse((error as Error).message)
    }
  }
  if (type === 'string') return typeof value === 'string' ? value : refuse('a text')
  return isBytes(value) ? value : refuse(`0x and hexadecimal digits for ${type}`)
}
