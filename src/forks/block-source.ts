/** A pinned block, and where its state is read: what travels together wherever a calculation works at a block. */
import type { BlockPin } from '../domain/primitives.js'

/** A block as the archive answers for it. */
export interface ArchivedBlock {
  readonly pin: BlockPin
  /** On this machine. */
  readonly archiveUrl: string
}

/** Forks of one block. */
export interface ForkUrls {
  readonly forkUrls: readonly string[]
  /** They have been given what forks of other blocks read. Default false. */
  readonly isFilled?: boolean
}

export interface BlockSource extends ArchivedBlock {
  /** Forks that still start come later. */
  readonly forks: Promise<ForkUrls>
}
