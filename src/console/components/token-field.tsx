/** Chooses a token by its symbol, name or address, with the keys of a list. */
import { useEffect, useId, useMemo, useRef, useState } from 'preact/hooks'
import { findTokens, isAddress, listOf, type Token, tokenAt } from '../app/tokens.js'
import { Address } from './amount.js'

const mostShown = 30
const pauseMs = 250

interface Props {
  readonly label: string
  readonly chainId: number
  /** Address; empty: none. */
  readonly value: string
  onValue(address: string): void
}

export function TokenField({ label, chainId, value, onValue }: Props) {
  const id = useId()
  const [text, setText] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const known = value ? tokenAt(chainId, value) : null
  const found = useFound(chainId, isOpen ? (text ?? '') : null)
  const shown = text ?? known?.symbol ?? value
  const current = Math.min(at, found.length - 1)

  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' })
  }, [current])

  const choose = (token: Token | undefined) => {
    if (token) onValue(token.address)
    setText(null)
    setOpen(false)
  }
  const leave = () => {
    const typed = text?.trim() ?? ''
    if (typed && isOpen) {
      const isNamed = found.filter(({ symbol }) => symbol.toLowerCase() === typed.toLowerCase())
      if (isNamed[0]) return choose(isNamed[0])
      if (isAddress(typed)) onValue(typed.toLowerCase())
    }
    setText(null)
    setOpen(false)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      setOpen(true)
      const step = key === 'ArrowDown' ? 1 : -1
      setAt(isOpen ? (current + step + found.length) % Math.max(1, found.length) : 0)
    } else if (key === 'Enter' && isOpen && text !== null) {
      event.preventDefault()
      if (found[current]) choose(found[current])
      else leave()
    } else if (key === 'Enter' && isOpen) {
      event.preventDefault()
      choose(found[current])
    } else if (key === 'Escape' && isOpen) {
      event.preventDefault()
      setText(null)
      setOpen(false)
    }
  }
  return (
    <div class="field picker">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        role="combobox"
        autocomplete="off"
        spellcheck={false}
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={`${id}-list`}
        {...(isOpen && found[current] && { 'aria-activedescendant': `${id}-${current}` })}
        value={shown}
        placeholder="symbol or address"
        onFocus={(event) => event.currentTarget.select()}
        onClick={() => setOpen(true)}
        onInput={(event) => {
          setText(event.currentTarget.value)
          setAt(0)
          setOpen(true)
        }}
        onBlur={leave}
        onKeyDown={onKeyDown}
      />
      <span class="hint">{value ? <Address value={value} /> : ''}</span>
      <div
        id={`${id}-list`}
        class="options"
        role="listbox"
        tabIndex={-1}
        aria-label={label}
        hidden={!isOpen}
        ref={list}
      >
        {isOpen &&
          found.map((token, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
            <div
              key={token.address}
              id={`${id}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === current}
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => choose(token)}
            >
              <b>{token.symbol}</b>
              <span class="dim">{token.name}</span>
              <Address value={token.address} />
            </div>
          ))}
        {isOpen && found.length === 0 && (
          <div role="option" tabIndex={-1} aria-selected={false} aria-disabled="true">
            No token by this name
          </div>
        )}
      </div>
    </div>
  )
}

/**
 * Tokens of the chain's list are shown at once; others, such as shares of vaults, are asked for after a pause in
 * typing.
 */
function useFound(chainId: number, text: string | null): readonly Token[] {
  const [others, setOthers] = useState<readonly Token[]>([])
  const listed = listOf(chainId)
  const wanted = text?.trim().toLowerCase() ?? null
  const ours = useMemo(
    () => (wanted === null ? [] : ranked(listed, wanted).slice(0, mostShown)),
    [listed, wanted],
  )
  useEffect(() => {
    setOthers([])
    if (!wanted || wanted.length < 2) return
    const left = new AbortController()
    const timer = setTimeout(() => {
      findTokens(chainId, wanted, left.signal).then(
        (found) => left.signal.aborted || setOthers(found),
        () => undefined,
      )
    }, pauseMs)
    return () => {
      clearTimeout(timer)
      left.abort()
    }
  }, [chainId, wanted])
  const isNew = ({ address }: Token) => !ours.some((one) => one.address === address)
  return [...ours, ...others.filter(isNew)].slice(0, mostShown)
}

function ranked(tokens: readonly Token[], text: string): readonly Token[] {
  if (!text) return tokens
  const rank = ({ symbol, name, address }: Token) => {
    const own = symbol.toLowerCase()
    if (own === text || address === text) return 0
    if (own.startsWith(text)) return 1
    if (own.includes(text) || name.toLowerCase().includes(text)) return 2
    return text.length > 5 && address.startsWith(text) ? 3 : null
  }
  return tokens
    .flatMap((token) => {
      const its = rank(token)
      return its === null ? [] : [{ token, its }]
    })
    .sort((a, b) => a.its - b.its)
    .map(({ token }) => token)
}
