/** What the service and a thread that makes a file of results tell each other. */
import type { ResultFile, ResultOptions } from '../../domain/backtest.js'
import type { WireError } from '../../domain/errors.js'
import type { StoreSettings } from '../stores/open-store.js'

/** The data that the thread starts with. */
export interface FileOrder {
  readonly settings: StoreSettings
  /** Id of the job. */
  readonly id: string
  readonly file: ResultFile
  readonly options: ResultOptions
}

/** Asked for by any message: the next bytes, null after the last. */
export type FileReply =
  | { readonly ok: true; readonly bytes: Uint8Array | null }
  | { readonly ok: false; readonly error: WireError }
