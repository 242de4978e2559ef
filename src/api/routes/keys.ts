/** API keys: docs/reference/api.md#keys. A key is answered once, when it is made; its hash never. */
import { z } from 'zod'
import { invalidRequest } from '../../domain/common-errors.js'
import { ForkrouteError } from '../../domain/errors.js'
import { defineRoute, type Endpoint, endpoint } from '../contract.js'
import type { KeyStore } from '../key-store.js'
import { Key, NewKey, toKey } from '../records/operation-records.js'
import { described, Flag, withDefault } from '../schemas.js'

const tag = 'Keys'
const base = '/api/v1/keys'

/** For people; nothing that a terminal would obey. */
const label = z
  .string('must be a text')
  .regex(/^[^\p{C}]{1,64}$/u, 'must be 1 to 64 printable characters')
const idMessage = 'must be the id of a key'
const accountMessage = 'must be the id of an account (32 bytes)'

const list = defineRoute({
  method: 'get',
  path: base,
  tag,
  operationId: 'getKeys',
  summary: 'All keys, the oldest first, without their secrets.',
  description: 'Of all accounts.',
  scope: 'admin',
  response: z.array(Key),
  errors: ['STORAGE_UNAVAILABLE'],
})

const create = defineRoute({
  method: 'post',
  path: base,
  tag,
  operationId: 'createKey',
  summary: 'Makes a key, and shows it this once.',
  description: 'Only a hash of it is kept.',
  scope: 'admin',
  input: z.object({
    name: described(label, 'What the key is for.', 'trading desk'),
    admin: described(
      withDefault(Flag, false, false),
      'Whether it has the scope admin besides use.',
    ),
    accountId: described(
      z
        .string(accountMessage)
        .regex(/^0x[0-9a-f]{64}$/, accountMessage)
        .optional(),
      'Of an account that is there; default: a new one.',
    ),
    accountName: described(label.optional(), 'Of a new account.'),
  }),
  response: NewKey,
  errors: ['INVALID_REQUEST', 'NOT_FOUND', 'STORAGE_UNAVAILABLE'],
})

const disable = defineRoute({
  method: 'post',
  path: `${base}/{id}/disable`,
  tag,
  operationId: 'disableKey',
  summary: 'Refuses a key from now on.',
  description: 'Safe to repeat; a disabled key stays so. The key that asks cannot disable itself.',
  scope: 'admin',
  params: z.object({
    id: described(z.string(idMessage).max(64, idMessage), 'Of the key.', '5f3a9c01b2d4'),
  }),
  response: Key,
  errors: ['INVALID_REQUEST', 'NOT_FOUND', 'STORAGE_UNAVAILABLE'],
})

/** Who has the scope has come with a key, so there is a store. */
function storeOf(keys: KeyStore | null): KeyStore {
  if (keys) return keys
  throw new ForkrouteError(
    'SCOPE_MISSING',
    'This service has no keys, since its AUTH_MODE is open: send requests without one.',
  )
}

export const keyEndpoints: readonly Endpoint[] = [
  endpoint(list, ({ keys }) => storeOf(keys).listKeys().map(toKey)),
  endpoint(create, ({ keys, input: { admin: isAdmin, ...named } }) => {
    const { key, record } = storeOf(keys).createKey({ ...named, isAdmin })
    return { key, ...toKey(record) }
  }),
  endpoint(disable, ({ keys, caller, params: { id } }) => {
    if (id === caller) throw invalidRequest(['the key that asks cannot disable itself'])
    return toKey(storeOf(keys).disableKey(id))
  }),
]
