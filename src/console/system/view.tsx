/** The service itself: its chains and nodes, its pools, its keys, its configuration, its machine. */
import { Parts } from '../components/parts.js'
import { Keys } from './keys.js'
import { Machine } from './machine.js'
import { Pools } from './pools.js'
import { Running } from './running.js'
import { Settings } from './settings.js'

const parts = [
  ['running', 'Chains and nodes'],
  ['pools', 'Pools'],
  ['keys', 'Keys'],
  ['settings', 'Configuration'],
  ['machine', 'Doctor'],
] as const

export function SystemView({ query }: { readonly query: URLSearchParams }) {
  const asked = query.get('part')
  const part = parts.find(([name]) => name === asked)?.[0] ?? 'running'
  return (
    <>
      <div class="view-head">
        <h1>System</h1>
        <Parts view="system" label="Parts of the system" parts={parts} current={part} />
      </div>
      {part === 'running' && <Running />}
      {part === 'pools' && <Pools query={query} />}
      {part === 'keys' && <Keys />}
      {part === 'settings' && <Settings query={query} />}
      {part === 'machine' && <Machine />}
    </>
  )
}
