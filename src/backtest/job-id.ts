/** Ids of jobs: they sort by creation, and carry no other information. */
import { randomBytes } from 'node:crypto'

let last = 0

/** Milliseconds in base 36, later than those of the one before, and 32 random bits. */
export function newJobId(): string {
  last = Math.max(Date.now(), last + 1)
  return `${last.toString(36).padStart(9, '0')}${randomBytes(4).toString('hex')}`
}
