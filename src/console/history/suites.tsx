/** Regression suites: run from their text, on a cassette or on the nodes of the service. */
import { useState } from 'preact/hooks'
import type { components } from '../../client/generated/schema.js'
import { useDoing } from '../app/doing.js'
import { goOn } from '../app/router.js'
import { Field } from '../components/fields.js'
import { Card } from '../components/parts.js'
import { Problem } from '../components/states.js'
import { CheckResult, Checks } from './check.js'

const example = `name: my routes
# cassette: routes.cassette    a file of the folder; without one the nodes are asked
cases:
  - name: one ether to USDC
    quote:
      tokenIn: 0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee
      tokenOut: 0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48
      amountIn: 1000000000000000000
    expect: { atLeast: 1 }
`

export function Suites({ query }: { readonly query: URLSearchParams }) {
  const [suite, setSuite] = useState(example)
  const check = query.get('check')
  const [ended, setEnded] = useState('')
  const running = useDoing<components['schemas']['Check']>(({ id }) => goOn({ check: id }))
  const submit = (event: Event) => {
    event.preventDefault()
    void running.start((client) => client.runSuite({ suite }))
  }
  return (
    <>
      <Card title="Run suite">
        <form class="stack" onSubmit={submit}>
          <Field label="Suite as YAML" hint="Up to 200 cases; docs/how-to/regression-tests.md">
            {(own) => (
              <textarea
                {...own}
                rows={12}
                spellcheck={false}
                value={suite}
                onInput={(event) => setSuite(event.currentTarget.value)}
              />
            )}
          </Field>
          <div class="row">
            <button type="submit" class="main" disabled={running.isBusy || !suite.trim()}>
              Run
            </button>
            <input
              type="file"
              accept=".yaml,.yml"
              aria-label="Suite from a file"
              onChange={(event) => void event.currentTarget.files?.[0]?.text().then(setSuite)}
            />
          </div>
        </form>
        {running.error !== null && <Problem error={running.error} />}
      </Card>
      {check && <CheckResult id={check} onEnd={setEnded} />}
      <Checks kind="suite" moment={`${check} ${ended}`} />
    </>
  )
}
