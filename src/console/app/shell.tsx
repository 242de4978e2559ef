/** The frame around every view: navigation, key, theme, and what is shown while a view loads or after it broke. */
import type { ComponentType } from 'preact'
import { useEffect, useErrorBoundary, useState } from 'preact/hooks'
import { isRaw } from './numbers.js'
import { hrefOf, place } from './router.js'
import { key, keyProblem, setKey } from './session.js'
import { setTheme, theme, themes } from './theme.js'
import { forgetCatalog, loadNetworks, networks } from './tokens.js'

type View = ComponentType<{ readonly query: URLSearchParams }>

/** Each is a file of its own, read when it is opened. */
const views: Readonly<Record<string, readonly [string, () => Promise<View>]>> = {
  route: ['Route', async () => (await import('../route/view.js')).RouteView],
  depth: ['Depth', async () => (await import('../depth/view.js')).DepthView],
  live: ['Live', async () => (await import('../live/view.js')).LiveView],
  transfers: ['Transfers', async () => (await import('../transfers/view.js')).TransfersView],
  bundle: ['Bundle', async () => (await import('../bundle/view.js')).BundleView],
  history: ['History', async () => (await import('../history/view.js')).HistoryView],
  system: ['System', async () => (await import('../system/view.js')).SystemView],
}

export function Shell() {
  const { view, query } = place.value
  const whose = key.value
  const problem = keyProblem.value
  // Another key may see other things.
  useEffect(() => {
    forgetCatalog()
    loadNetworks()
  }, [whose])
  const [title] = views[view] ?? []
  useEffect(() => {
    document.title = title ? `${title} · forkroute` : 'forkroute console'
  }, [title])
  return (
    <>
      <button type="button" class="skip" onClick={skip}>
        Skip to content
      </button>
      <header class="top">
        <a class="brand" href={hrefOf('route')}>
          fork<b>route</b>
        </a>
        <nav aria-label="Views">
          {Object.entries(views).map(([name, [label]]) => (
            <a key={name} href={hrefOf(name)} aria-current={name === view ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <div class="tools">
          <Heads />
          <button
            type="button"
            class="quiet"
            aria-pressed={isRaw.value}
            title="Show amounts in the smallest unit of each token"
            onClick={() => {
              isRaw.value = !isRaw.value
            }}
          >
            Raw units
          </button>
          <label class="quiet">
            <span class="unseen">Theme</span>
            <select value={theme.value} onChange={(event) => setTheme(event.currentTarget.value)}>
              {themes.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
          {whose && (
            <button type="button" class="quiet" onClick={() => setKey(null)}>
              Forget key
            </button>
          )}
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        {problem !== null ? <KeyForm problem={problem} /> : <Loaded view={view} query={query} />}
      </main>
    </>
  )
}

/** No link: the fragment is taken by views. */
function skip(): void {
  document.getElementById('content')?.focus()
}

function Heads() {
  return (
    <ul class="heads" aria-label="Chains">
      {networks.value.map(({ id, name, isConnected, blockNumber }) => (
        <li
          key={id}
          title={`${name}, ${isConnected ? 'ready' : 'not ready'}, block ${blockNumber ?? 'none'}`}
        >
          <span class={isConnected ? 'dot good' : 'dot bad'} aria-hidden="true" />
          <span class="unseen">
            {name}: {isConnected ? 'ready' : 'not ready'}
          </span>
        </li>
      ))}
    </ul>
  )
}

function KeyForm({ problem }: { readonly problem: string }) {
  const [text, setText] = useState('')
  return (
    <form
      class="card key-form"
      onSubmit={(event) => {
        event.preventDefault()
        setKey(text)
      }}
    >
      <h1>API key required</h1>
      <p>{problem}</p>
      <p class="hint">
        The service prints a link with a key at its first start; <code>forkroute keys create</code>{' '}
        creates more. The key is kept until this tab is closed.
      </p>
      <label class="field">
        <span>Key</span>
        <input
          type="password"
          autocomplete="off"
          required
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <button type="submit" class="main">
        Use this key
      </button>
    </form>
  )
}

function Loaded({ view, query }: { readonly view: string; readonly query: URLSearchParams }) {
  const [loaded, setLoaded] = useState<{ readonly view: string; readonly View: View } | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const [broken, repair] = useErrorBoundary()
  useEffect(() => {
    const [, load] = views[view] ?? []
    setFailure(null)
    repair()
    load?.().then(
      (View) => setLoaded({ view, View }),
      (error: unknown) => setFailure(error),
    )
    // `repair` is another function at each rendering: as a dependency it would load, and so render, without end.
  }, [view])
  if (!views[view]) return <p class="card">View not found: {view}</p>
  if (broken || failure) {
    return (
      <div class="card problem" role="alert">
        <h1>This view failed to load</h1>
        <p>{String((broken ?? failure) as unknown)}</p>
        <button type="button" onClick={() => location.reload()}>
          Reload
        </button>
      </div>
    )
  }
  if (loaded?.view !== view) return <p class="card waiting">Loading …</p>
  return <loaded.View query={query} />
}
