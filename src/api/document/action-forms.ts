/**
 * The actions of bundles as a union for the OpenAPI document: one member per action and form of its arguments, naming
 * the protocols that have it. Pure.
 */
import { serviceProtocols } from '../../domain/bundle.js'
import type { Engine } from '../../domain/engine.js'
import type { ActionInput, ActionRecord } from '../../domain/metadata.js'

type Schema = Record<string, unknown>

const reference: Schema = {
  type: 'object',
  title: 'OutputReference',
  description: 'What an earlier action of the same list yields.',
  properties: {
    useOutputOfCallAt: {
      type: 'integer',
      minimum: 0,
      description: 'Zero-based index of the earlier action.',
    },
    index: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Which of its outputs, zero-based.',
    },
  },
  required: ['useOutputOfCallAt'],
}
const address: Schema = { type: 'string', pattern: '^0[xX][0-9a-fA-F]{40}$' }
const number: Schema = { anyOf: [{ type: 'string', pattern: '^\\d+$' }, { type: 'integer' }] }
const integer: Schema = { anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^-?\\d+$' }] }
const amount: Schema = {
  anyOf: [...(number.anyOf as Schema[]), { $ref: schemaOf('OutputReference') }],
}

/** Keyed by the kind of the argument. An argument of an unknown kind may be anything. */
const forms: Readonly<Record<string, Schema>> = {
  address,
  addresses: { anyOf: [address, { type: 'array', items: address }] },
  amount,
  amounts: { anyOf: [...(amount.anyOf as Schema[]), { type: 'array', items: amount }] },
  condition: amount,
  integer,
  integers: { anyOf: [integer, { type: 'array', items: integer }] },
  bytes: { type: 'string', pattern: '^0x([0-9a-fA-F]{2})*$' },
  slippage: { anyOf: [{ type: 'string' }, { type: 'number', minimum: 0, maximum: 10_000 }] },
  text: { type: 'string' },
  texts: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] },
  signature: { type: 'string' },
  values: { type: 'array', items: {} },
  fields: { type: 'object', additionalProperties: true },
  signed: number,
  output: { $ref: schemaOf('OutputReference') },
  actions: { type: 'array', items: { $ref: schemaOf('BundleAction') } },
}

function schemaOf(name: string): string {
  return `#/components/schemas/${name}`
}

function argumentOf({ kind, description: phrase }: ActionInput): Schema {
  const sentence = `${phrase.charAt(0).toUpperCase()}${phrase.slice(1)}.`
  return { description: sentence, ...forms[kind] }
}

function argumentsOf({ inputs }: ActionRecord): Schema {
  const entries = Object.entries(inputs)
  const required = entries.filter(([, { optional }]) => !optional).map(([name]) => name)
  return {
    type: 'object',
    description:
      'Arguments; addresses in any letter case, amounts in the smallest unit of their token.',
    properties: Object.fromEntries(entries.map(([name, input]) => [name, argumentOf(input)])),
    ...(required.length && { required }),
  }
}

/** Which protocols have an action. */
export interface ProtocolActions {
  readonly protocols: readonly string[]
  readonly actions: readonly ActionRecord[]
}

/** Everything that a bundle can hold at this service. @param serviceName - the word inside wire identifiers. */
export function actionsOf(
  engine: Pick<Engine, 'serviceActions' | 'protocols'>,
  serviceName: string,
): ProtocolActions[] {
  return [
    { protocols: [serviceName, ...serviceProtocols], actions: engine.serviceActions() },
    ...engine.protocols().map(({ slug, actions }) => ({ protocols: [slug], actions })),
  ]
}

/** The components of the document: `BundleAction`, and what it refers to. */
export function actionSchemas(all: readonly ProtocolActions[]): Record<string, Schema> {
  const members = new Map<
    string,
    { names: readonly string[]; name: string; args: Schema; by: string[] }
  >()
  for (const { protocols, actions } of all) {
    for (const record of actions) {
      const args = argumentsOf(record)
      const key = JSON.stringify([record.action, record.variants, args])
      const names = [record.action, ...(record.variants ?? [])]
      const member = members.get(key) ?? { names, name: record.name, args, by: [] }
      member.by.push(...protocols)
      members.set(key, member)
    }
  }
  return {
    OutputReference: reference,
    BundleAction: {
      description: 'One action of a bundle; what args holds depends on protocol and action.',
      anyOf: [...members.values()].map(({ names, name, args, by }) => ({
        type: 'object',
        title: `${names[0]} of ${by.slice(0, 3).join(', ')}${by.length > 3 ? ' and others' : ''}`,
        description: name.endsWith('.') ? name : `${name}.`,
        properties: {
          protocol: { type: 'string', enum: by, description: 'Slug of the protocol.' },
          action: { type: 'string', enum: names, description: 'Name of the action.' },
          args,
        },
        required: ['protocol', 'action', ...('required' in args ? ['args'] : [])],
      })),
    },
  }
}
