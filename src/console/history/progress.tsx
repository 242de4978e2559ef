/** How far a job is, and what it has come to. */
import type { components } from '../../client/generated/schema.js'
import { countText } from '../app/format.js'

type Entry = components['schemas']['BacktestEntry']

const styles: Readonly<Record<Entry['state'], string>> = {
  queued: 'tag',
  running: 'tag accent',
  finished: 'tag good',
  cancelled: 'tag warn',
  failed: 'tag bad',
}

export function StateTag({ job }: { readonly job: Pick<Entry, 'state' | 'problem'> }) {
  return (
    <>
      <span class={styles[job.state]}>{job.state}</span>
      {job.problem && <p class="hint">{job.problem}</p>}
    </>
  )
}

interface ProgressProps {
  readonly label: string
  readonly done: number
  readonly total: number
}

export function Progress({ label, done, total }: ProgressProps) {
  return (
    <span class="progress">
      <progress aria-label={`Blocks of ${label}`} max={Math.max(1, total)} value={done} />
      <span class="dim">
        {countText(done)} of {countText(total)}
      </span>
    </span>
  )
}
