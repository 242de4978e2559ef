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
  const choice = useChoice(chainId, value, onValue)
  const { found, current, isOpen } = choice
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
        value={choice.shown}
        placeholder="Symbol or address"
        onFocus={(event) => event.currentTarget.select()}
        onClick={choice.open}
        onInput={(event) => choice.type(event.currentTarget.value)}
        onBlur={choice.leave}
        onKeyDown={choice.onKeyDown}
      />
      <span class="hint">{value ? <Address value={value} /> : ''}</span>
      <Options {...{ id, label, choice }} />
    </div>
  )
}

/** What is typed into the field, and the tokens that it may mean. */
interface Choice {
  /** Text in the field. */
  readonly shown: string
  readonly isOpen: boolean
  readonly found: readonly Token[]
  /** Place of the token that Enter takes. */
  readonly current: number
  open(): void
  type(text: string): void
  choose(token: Token | undefined): void
  /** Takes what was typed where it names a token. */
  leave(): void
  onKeyDown(event: KeyboardEvent): void
}

function useChoice(chainId: number, value: string, onValue: Props['onValue']): Choice {
  const [text, setText] = useState<string | null>(null)
  const [at, setAt] = useState(0)
  const [isOpen, setOpen] = useState(false)
  const known = value ? tokenAt(chainId, value) : null
  const found = useFound(chainId, isOpen ? (text ?? '') : null)
  const current = Math.min(at, found.length - 1)
  const close = () => {
    setText(null)
    setOpen(false)
  }
  const choose = (token: Token | undefined) => {
    if (token) onValue(token.address)
    close()
  }
  const leave = () => {
    const typed = text?.trim() ?? ''
    if (typed && isOpen) {
      const named = found.find(({ symbol }) => symbol.toLowerCase() === typed.toLowerCase())
      if (named) return choose(named)
      if (isAddress(typed)) onValue(typed.toLowerCase())
    }
    close()
  }
  const move = (step: 1 | -1) => {
    setOpen(true)
    setAt(isOpen ? (current + step + found.length) % Math.max(1, found.length) : 0)
  }
  const take = () => {
    if (found[current] || text === null) choose(found[current])
    else leave()
  }
  return {
    shown: text ?? known?.symbol ?? value,
    isOpen,
    found,
    current,
    open: () => setOpen(true),
    type(typed) {
      setText(typed)
      setAt(0)
      setOpen(true)
    },
    choose,
    leave,
    onKeyDown(event) {
      const act = keyActions(isOpen, { move, take, close })[event.key]
      if (!act) return
      event.preventDefault()
      act()
    },
  }
}

/** What a key does: the arrows open the list, the others mean something while it is open. */
function keyActions(
  isOpen: boolean,
  { move, take, close }: { move(step: 1 | -1): void; take(): void; close(): void },
): Readonly<Record<string, (() => void) | undefined>> {
  const arrows = { ArrowDown: () => move(1), ArrowUp: () => move(-1) }
  return isOpen ? { ...arrows, Enter: take, Escape: close } : arrows
}

interface OptionsProps {
  readonly id: string
  readonly label: string
  readonly choice: Choice
}

function Options({ id, label, choice: { found, current, isOpen, choose } }: OptionsProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[current]?.scrollIntoView({ block: 'nearest' })
  }, [current])
  return (
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
          Token not found
        </div>
      )}
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
