/** Filters and pages that the lists of tokens and positions share. */
import type { ErrorCode } from '../../domain/errors.js'
import { Address, described, integer, listOf, Name, withDefault } from '../schemas.js'

const maxPageSize = 1_000
/** Values of one list filter. */
const maxValues = 1_000

export function addressFilter(description: string) {
  return described(listOf(Address, 1, maxValues).optional(), description)
}

/** Letter case is ignored. */
export function nameFilter(description: string) {
  return described(listOf(Name, 1, maxValues).optional(), description)
}

export const paging = {
  page: described(withDefault(integer(1, 1_000_000_000), 1, 1), 'Counted from 1.'),
  pageSize: described(
    withDefault(integer(1, maxPageSize), maxPageSize, maxPageSize),
    'Entries per page.',
  ),
  cursor: integer(0, 1_000_000_000)
    .optional()
    .meta({ description: 'The cursor of the page before; wins over page.' }),
}

/** Pages without a cursor, of lists that people look through. */
export function pagesOf(most: number, usual: number) {
  return {
    page: paging.page,
    pageSize: described(withDefault(integer(1, most), usual, usual), 'Entries per page.'),
  }
}

/** Errors of reading positions, which precedes the first answer. */
export const listingErrors: readonly ErrorCode[] = [
  'INVALID_REQUEST',
  'UNKNOWN_CHAIN',
  'CHAIN_NOT_READY',
  'UPSTREAM_UNAVAILABLE',
  'STATE_UNAVAILABLE',
  'FORK_UNAVAILABLE',
  'STORAGE_UNAVAILABLE',
  'THREAD_LOST',
  'OVERLOADED',
  'DEADLINE_EXCEEDED',
]
