import { useState } from 'preact/hooks'
import { serviceUrl } from '../app/session.js'
import { CopyButton } from '../components/copy-button.js'
import { copies } from './copies.js'
import type { Answered } from './question.js'

type Name = keyof typeof copies
const names = Object.keys(copies) as Name[]

/** The answer as code and files for elsewhere. */
export function CopyAs({ answered }: { readonly answered: Answered }) {
  const [name, setName] = useState<Name>('curl')
  const text = copies[name].make(answered, serviceUrl)
  return (
    <div class="stack">
      <div class="row">
        {names.map((one) => (
          <button
            key={one}
            type="button"
            class="quiet"
            aria-pressed={one === name}
            onClick={() => setName(one)}
          >
            {copies[one].title}
          </button>
        ))}
        <CopyButton text={text} label={`Copy ${copies[name].title}`} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys. */}
      <pre tabIndex={0}>{text}</pre>
      <p class="hint">Your API key is not included: set FORKROUTE_KEY.</p>
    </div>
  )
}
