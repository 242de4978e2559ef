/** Messages between a process and the spawner that it has programs started by. */

export type SpawnerOrder =
  | {
      readonly id: number
      readonly file: string
      readonly args: readonly string[]
      readonly env: Readonly<Record<string, string | undefined>>
    }
  | { readonly id: number; readonly signal: NodeJS.Signals }

export type SpawnerReport = { readonly id: number } & (
  | { readonly pid: number }
  /** Why it could not be started; its end follows. */
  | { readonly failure: string }
  /** Of its standard error. */
  | { readonly text: string }
  | { readonly code: number | null; readonly signal: NodeJS.Signals | null }
)
