/** Chains, what was learnt of their nodes, forks, threads and caches. */
import type { components } from '../../client/generated/schema.js'
import { useAsked } from '../app/asking.js'
import { bytesText, countText, durationText, figureText } from '../app/format.js'
import { networks } from '../app/tokens.js'
import { Address } from '../components/amount.js'
import { DataTable } from '../components/data-table.js'
import { Card, Facts } from '../components/parts.js'
import { Answer } from '../components/states.js'

type State = components['schemas']['SystemState']
type Chain = components['schemas']['ChainState']
type Node = components['schemas']['NodeState']

export function Running() {
  const asked = useAsked('system', (client, signal) => client.system(undefined, { signal }))
  return (
    <Answer asked={asked}>
      {(state) => (
        <>
          <Process state={state} again={asked.again} />
          {state.chains.map((chain) => (
            <ChainCard key={chain.chainId} chain={chain} />
          ))}
          {state.venues.length > 0 && <Venues venues={state.venues} />}
        </>
      )}
    </Answer>
  )
}

function Process({ state, again }: { readonly state: State; readonly again: () => void }) {
  const { threads, forks, cache } = state
  return (
    <Card
      title="Service"
      beside={
        <button type="button" class="quiet" onClick={again}>
          Refresh
        </button>
      }
    >
      <Facts
        of={[
          ['Version', `${state.version}, Node ${state.nodeVersion}`],
          ['Uptime', durationText(state.uptimeSeconds)],
          ['Processes', state.processes],
          ['Memory', bytesText(state.residentBytes)],
          ['Threads', `${threads.count}, ${threads.tasks} tasks, ${threads.waiting} waiting`],
          ['Forks', `${forks.count} at ${forks.blocks} blocks, ${forks.leases} in use`],
          ['Fork memory', bytesText(forks.residentBytes)],
          ['Fork restarts', countText(forks.restarts)],
          ['Cached values', countText(cache.items)],
          ['Cache on disk', bytesText(cache.diskBytes)],
          ['Fork reads', countText(cache.served)],
        ]}
      />
    </Card>
  )
}

/** The service does not start with a file that has mistakes, so what is left to find shows when calls are tried. */
function Venues({ venues }: { readonly venues: State['venues'] }) {
  const names = new Map(networks.value.map(({ id, name }) => [id, name]))
  return (
    <Card title="Declared venues">
      <DataTable
        label="Declared venues"
        rows={venues}
        keyOf={({ name }) => name}
        columns={[
          { title: 'Venue', cell: ({ name }) => name },
          { title: 'Chain', cell: ({ chainId }) => names.get(chainId) ?? chainId },
          {
            title: 'Trust',
            cell: ({ trust }) => <span class={trust === 'none' ? 'tag' : 'tag good'}>{trust}</span>,
          },
          { title: 'Pools in the file', isNumber: true, cell: ({ pools }) => countText(pools) },
          {
            title: 'Factory',
            cell: ({ factory }) => (factory === null ? '–' : <Address value={factory} />),
          },
          {
            title: 'Pools in the index',
            isNumber: true,
            cell: ({ indexedPools }) => (indexedPools === null ? '–' : countText(indexedPools)),
          },
        ]}
      />
      <p class="hint">
        <code>forkroute venues check</code> quotes and swaps once in each direction of their pools.
      </p>
    </Card>
  )
}

function ChainCard({ chain }: { readonly chain: Chain }) {
  const { name, chainId, ready, problem, blockNumber, ageSeconds, isSandbox, nodes } = chain
  return (
    <Card
      title={`${name} · ${chainId}`}
      beside={
        <>
          {isSandbox && <span class="tag accent">sandbox</span>}
          <span class={ready ? 'tag good' : 'tag bad'}>{ready ? 'ready' : 'not ready'}</span>
        </>
      }
    >
      {problem && <p class="bad">{problem}</p>}
      <Facts
        of={[
          ['Block', blockNumber === null ? '–' : countText(blockNumber)],
          ['Block age', ageSeconds === null ? '–' : durationText(ageSeconds)],
          ['State reads by source', <Reads key="reads" reads={chain.reads} />],
        ]}
      />
      <DataTable
        label={`Nodes of ${name}`}
        none="No nodes (replay)"
        rows={nodes}
        keyOf={({ number }) => number}
        columns={[
          { title: 'Node', cell: ({ number }) => <span class="one-line">Node {number}</span> },
          { title: 'State', cell: (node) => <NodeTag node={node} /> },
          {
            title: 'Latency',
            isNumber: true,
            cell: ({ latencyMs }) => figureText(latencyMs, 'ms', 1),
          },
          { title: 'Requests', isNumber: true, cell: ({ requests }) => countText(requests) },
          { title: 'Rate limited', isNumber: true, cell: ({ limited }) => countText(limited) },
          { title: 'Limits', cell: (node) => <Learnt node={node} /> },
          { title: 'Capabilities', cell: (node) => <Abilities node={node} /> },
        ]}
      />
    </Card>
  )
}

/** Shares in words; the counts are their title. */
function Reads({ reads }: { readonly reads: Chain['reads'] }) {
  const all = Object.values(reads).reduce((sum, count) => sum + count, 0)
  if (all === 0) return <>None</>
  const parts = Object.entries(reads).filter(([, count]) => count > 0)
  const percent = (count: number) => `${((100 * count) / all).toFixed(count / all < 0.1 ? 1 : 0)} %`
  return (
    <span class="row">
      {parts.map(([name, count]) => (
        <span key={name} class="tag" title={`${countText(count)} reads`}>
          {name} {percent(count)}
        </span>
      ))}
    </span>
  )
}

function NodeTag({ node }: { readonly node: Node }) {
  const [style, text] = node.isSetAside
    ? ['tag bad', 'suspended']
    : node.usable
      ? ['tag good', 'active']
      : ['tag warn', 'unreachable']
  return (
    <>
      <span class={style}>{text}</span>
      {node.problem && <p class="hint">{node.problem}</p>}
    </>
  )
}

function Learnt({ node: { mostCalls, mostRequests, archiveDepth } }: { readonly node: Node }) {
  return (
    <>
      {mostCalls === null ? 'unlimited batches' : `batches of ${countText(mostCalls)}`}
      {mostRequests !== null && `, ${countText(mostRequests)} requests at once`}
      {archiveDepth !== null && archiveDepth > 0 && (
        <p class="hint">state of at least {countText(archiveDepth)} past blocks</p>
      )}
    </>
  )
}

function Abilities({ node: { abilities } }: { readonly node: Node }) {
  const all = Object.entries(abilities)
  if (all.length === 0) return <>Unknown</>
  return (
    <span class="row tight">
      {all.map(([name, able]) => (
        <span key={name} class={able ? 'tag good' : 'tag'}>
          <span class="unseen">{able ? 'can ' : 'cannot '}</span>
          {able ? '' : 'no '}
          {name}
        </span>
      ))}
    </span>
  )
}
