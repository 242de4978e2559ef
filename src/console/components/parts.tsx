/** A view in several parts, each with an address of its own; and what parts have in common. */
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { hrefOf } from '../app/router.js'

interface PartsProps {
  readonly view: string
  readonly label: string
  /** The first is shown where the address names none. */
  readonly parts: readonly (readonly [name: string, label: string])[]
  readonly current: string
}

export function Parts({ view, label, parts, current }: PartsProps) {
  return (
    <nav class="parts" aria-label={label}>
      {parts.map(([name, text]) => (
        <a
          key={name}
          href={hrefOf(view, { part: name })}
          aria-current={name === current ? 'page' : undefined}
        >
          {text}
        </a>
      ))}
    </nav>
  )
}

interface CardProps {
  readonly title: string
  /** At the right of the title. */
  readonly beside?: ComponentChildren
  readonly children: ComponentChildren
}

export function Card({ title, beside, children }: CardProps) {
  return (
    <section class="card stack">
      <div class="card-head">
        <h2>{title}</h2>
        {beside && <div class="row">{beside}</div>}
      </div>
      {children}
    </section>
  )
}

interface FactsProps {
  readonly of: readonly (readonly [string, ComponentChildren])[]
  /** The figure that counts most, in front of the others. */
  readonly lead?: readonly [string, ComponentChildren]
}

/** Terms and what they are. */
export function Facts({ of, lead }: FactsProps) {
  return (
    <dl class="facts">
      {lead && (
        <div class="lead">
          <dt>{lead[0]}</dt>
          <dd>{lead[1]}</dd>
        </div>
      )}
      {of.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}

interface ConfirmProps {
  readonly label: string
  /** On the button that does it. */
  readonly sure: string
  /** What it is about, for those who do not see the row. */
  readonly about: string
  onConfirm(): void
}

/** Does what cannot be undone only at the second press. */
export function ConfirmButton({ label, sure, about, onConfirm }: ConfirmProps) {
  const [isAsked, setAsked] = useState(false)
  useEffect(() => {
    if (!isAsked) return
    const timer = setTimeout(() => setAsked(false), 5_000)
    return () => clearTimeout(timer)
  }, [isAsked])
  return (
    <button
      type="button"
      class={isAsked ? 'quiet danger' : 'quiet'}
      onClick={() => {
        setAsked(!isAsked)
        if (isAsked) onConfirm()
      }}
    >
      {isAsked ? sure : label}
      <span class="unseen"> {about}</span>
    </button>
  )
}

/** Hands a file to the browser. */
export function saveFile(name: string, content: Blob): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(content)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
