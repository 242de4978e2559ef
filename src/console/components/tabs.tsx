import type { ComponentChildren } from 'preact'
import { useId, useRef, useState } from 'preact/hooks'

interface Tab {
  readonly name: string
  readonly label: ComponentChildren
  /** Made when it is shown. */
  content(): ComponentChildren
}

/** One of several parts at a time; arrow keys go from tab to tab. */
export function Tabs({ label, tabs }: { readonly label: string; readonly tabs: readonly Tab[] }) {
  const id = useId()
  const [name, setName] = useState(tabs[0]?.name)
  const list = useRef<HTMLDivElement>(null)
  const at = Math.max(
    0,
    tabs.findIndex((one) => one.name === name),
  )
  const shown = tabs[at]
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (!step) return
    event.preventDefault()
    const next = (at + step + tabs.length) % tabs.length
    setName(tabs[next]?.name)
    list.current?.querySelectorAll('button')[next]?.focus()
  }
  return (
    <div class="card">
      <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={onKeyDown}>
        {tabs.map((tab, index) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            aria-selected={index === at}
            aria-controls={`${id}-panel`}
            tabIndex={index === at ? 0 : -1}
            onClick={() => setName(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        id={`${id}-panel`}
        role="tabpanel"
        aria-labelledby={`${id}-${shown?.name}`}
        class="stack"
      >
        {shown?.content()}
      </div>
    </div>
  )
}
