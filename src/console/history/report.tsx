/** The report of a backtest: what its variants brought, what they missed, and by whom it went. */
import { countText, figureText } from '../app/format.js'
import { type Column, DataTable } from '../components/data-table.js'
import { Card } from '../components/parts.js'
import type { Distribution, Group, Summary, Venue } from './summary.js'

export function Report({ summary }: { readonly summary: Summary }) {
  const { variants, requests, cells } = summary
  const delayed = variants.filter(({ delays }) => delays.length > 0)
  return (
    <>
      <Card title="By variant">
        <p class="hint">
          Regret: shortfall to the best variant at the same block in basis points, as median and
          95th percentile.
        </p>
        <DataTable
          label="Results by variant"
          rows={variants}
          keyOf={({ variant }) => variant}
          columns={[
            { title: 'Variant', cell: ({ variant }) => variant },
            ...groupColumns<Summary['variants'][number]>(),
          ]}
        />
        <Venues variants={variants} />
      </Card>
      {requests.length > 1 && (
        <Card title="By request and variant">
          <DataTable
            label="Results by request and variant"
            rows={cells}
            keyOf={({ request, variant }) => `${request} ${variant}`}
            columns={[
              { title: 'Request', cell: ({ request }) => request },
              { title: 'Variant', cell: ({ variant }) => variant },
              ...groupColumns<Summary['cells'][number]>(),
            ]}
          />
        </Card>
      )}
      {delayed.length > 0 && (
        <Card title="Delayed execution">
          <DataTable
            label="Delayed execution"
            rows={delayed.flatMap(({ variant, delays }) =>
              delays.map((delay) => ({ variant, ...delay })),
            )}
            keyOf={({ variant, delay }) => `${variant} ${delay}`}
            columns={[
              { title: 'Variant', cell: ({ variant }) => variant },
              { title: 'Delay (blocks)', isNumber: true, cell: ({ delay }) => delay },
              {
                title: 'Fill rate',
                isNumber: true,
                cell: ({ fillRate }) =>
                  fillRate === null ? '–' : figureText(100 * fillRate, '%', 1),
              },
              {
                title: 'Realised vs. quoted',
                isNumber: true,
                cell: ({ realised }) => <Bps of={realised} />,
              },
            ]}
          />
        </Card>
      )}
    </>
  )
}

export function groupColumns<Row extends Group>(): Column<Row>[] {
  return [
    {
      title: 'Filled',
      isNumber: true,
      cell: ({ routes, rows }) => `${countText(routes)} of ${countText(rows)}`,
    },
    { title: 'Missed', isNumber: true, cell: ({ missed }) => countText(missed) },
    { title: 'Regret', isNumber: true, cell: ({ regret }) => <Bps of={regret} /> },
    {
      title: 'Regret net of gas',
      isNumber: true,
      cell: ({ regretAfterGas }) => <Bps of={regretAfterGas} />,
    },
    {
      title: 'vs. baseline',
      cell: ({ againstBaseline }) =>
        againstBaseline === null ? (
          <span class="dim">Baseline</span>
        ) : (
          <span class="row tight">
            <Tally count={againstBaseline.wins} what="better" style="good" />
            <Tally count={againstBaseline.ties} what="equal" style="" />
            <Tally count={againstBaseline.losses} what="worse" style="bad" />
          </span>
        ),
    },
    {
      title: 'Allowed slippage',
      isNumber: true,
      cell: ({ allowedSlippage }) => figureText(allowedSlippage?.mean, 'bps'),
    },
    { title: 'Gas', isNumber: true, cell: ({ gas }) => figureText(gas?.p50, '', 0) },
    {
      title: 'Time',
      isNumber: true,
      cell: ({ milliseconds }) => figureText(milliseconds?.p50, 'ms', 0),
    },
    { title: 'Errors', cell: ({ errors }) => <Errors errors={errors} /> },
  ]
}

interface TallyProps {
  readonly count: number
  readonly what: string
  /** Where there are any. */
  readonly style: string
}

function Tally({ count, what, style }: TallyProps) {
  return (
    <span class={`tag ${count > 0 ? style : ''}`}>
      {countText(count)} {what}
    </span>
  )
}

/** The median, with the rest of the distribution below. */
function Bps({ of }: { readonly of: Distribution | null }) {
  if (!of) return <>–</>
  return (
    <span title={`5 %: ${of.p5}, median ${of.p50}, 95 %: ${of.p95}, most ${of.max} bps`}>
      {figureText(of.p50, 'bps')}
      <span class="hint"> · {figureText(of.p95)}</span>
    </span>
  )
}

function Errors({ errors }: { readonly errors: Readonly<Record<string, number>> }) {
  const all = Object.entries(errors)
  if (all.length === 0) return <span class="dim">None</span>
  return (
    <span class="row tight">
      {all.map(([code, count]) => (
        <span key={code} class="tag bad">
          {countText(count)} {code}
        </span>
      ))}
    </span>
  )
}

const mostVenues = 7

/** Shares of protocols, a bar for each variant. */
function Venues({ variants }: { readonly variants: Summary['variants'] }) {
  const totals = new Map<string, number>()
  for (const { venues } of variants) {
    for (const { protocol, share } of venues) {
      totals.set(protocol, (totals.get(protocol) ?? 0) + share)
    }
  }
  const names = [...totals].sort(([, a], [, b]) => b - a).map(([name]) => name)
  if (names.length === 0) return null
  const shown = names.slice(0, mostVenues)
  return (
    <figure class="stack" aria-label="Shares of protocols">
      {variants.map(({ variant, venues }) => (
        <div key={variant} class="share-row">
          <span>{variant}</span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" role="img" aria-label={told(venues)}>
            {bars(venues, shown).map(({ protocol, at, share }) => (
              <rect
                key={protocol}
                class={`bar series-${shown.indexOf(protocol) + 1 || 8}`}
                x={at}
                y={0}
                width={share}
                height={4}
              />
            ))}
          </svg>
        </div>
      ))}
      <ul class="legend">
        {shown.map((name, index) => (
          <li key={name} class={`series-${index + 1}`}>
            <span class="swatch" aria-hidden="true" />
            {name}
          </li>
        ))}
        {names.length > mostVenues && (
          <li class="series-8">
            <span class="swatch" aria-hidden="true" />
            Other
          </li>
        )}
      </ul>
    </figure>
  )
}

function told(venues: readonly Venue[]): string {
  return venues.map(({ protocol, share }) => `${protocol} ${(100 * share).toFixed(0)} %`).join(', ')
}

/** Percent, one after the other, in the order of the legend. */
function bars(venues: readonly Venue[], order: readonly string[]) {
  const rank = ({ protocol }: Venue) => order.indexOf(protocol) >>> 0
  let at = 0
  return [...venues]
    .sort((a, b) => rank(a) - rank(b))
    .map(({ protocol, share }) => {
      const bar = { protocol, at, share: 100 * share }
      at += bar.share
      return bar
    })
}
