/** Where the state of a pinned block is read. */
import type { BlockPin } from '../../domain/primitives.js'
import type { BlockForks } from '../../forks/reader.js'

export interface BlockSource {
  readonly pin: BlockPin
  readonly archiveUrl: string
  /** Forks that still start come later. */
  readonly forks: Promise<BlockForks>
}
